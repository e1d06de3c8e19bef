/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The start of the graphical program; everything else is in the library beside it. */

#include "config.h"

#include <glib/gi18n.h>
#include <locale.h>

#include "holdall-application.h"

int
main (int   argc,
      char *argv[])
{
  g_autoptr (HoldallApplication) application = NULL;
  /* For tests: translations that are built but not installed. */
  const char *locale_folder = g_getenv ("HOLDALL_LOCALEDIR");
  int status;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, locale_folder != NULL ? locale_folder : LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  application = holdall_application_new ();
  status = g_application_run (G_APPLICATION (application), argc, argv);
  return status != 0 ? status : holdall_application_get_exit_status (application);
}
