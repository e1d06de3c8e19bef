/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* Registers the error domain of the ZIP layer. */

#include "zip-error.h"

G_DEFINE_QUARK (zip-error-quark, zip_error)
