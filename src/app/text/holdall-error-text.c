/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One table from error codes to sentences. The engine speaks technical English with the path in
 * it; a person needs to know what is safe and what to do next. */

#include "config.h"

#include "holdall-error-text.h"

#include <glib/gi18n.h>

typedef struct {
  int code;
  const char *title;
  const char *body;
  const char *reason;
} ErrorWords;

static const ErrorWords hold_words[] = {
  { HOLD_ERROR_NOT_ARCHIVE,
    N_("Not an Archive"),
    N_("The content of this file is not of any archive format that Holdall knows. The file was "
       "not changed. If it was downloaded, the download may be incomplete."),
    N_("not an archive") },
  { HOLD_ERROR_UNSUPPORTED,
    N_("This Cannot Be Read Here"),
    N_("The archive uses a format, a method or a kind of encryption that Holdall cannot read. It "
       "was not changed; the program that made it should be able to open it."),
    N_("made in a way that cannot be read here") },
  { HOLD_ERROR_CORRUPT,
    N_("The Archive Is Damaged"),
    N_("Its content contradicts itself. The archive was not changed, and entries that are still "
       "whole can be extracted. For the rest, get a fresh copy."),
    N_("damaged") },
  { HOLD_ERROR_TRUNCATED,
    N_("The Archive Is Incomplete"),
    N_("It ends too early, or one of its parts is missing. Check that the download has finished "
       "and that all parts lie in the same folder."),
    N_("incomplete, the archive ends too early") },
  { HOLD_ERROR_CHECKSUM,
    N_("The Content Is Damaged"),
    N_("The data does not match its checksum, so it was not kept. The archive was not changed. "
       "Get a fresh copy of it."),
    N_("damaged, its checksum does not match") },
  { HOLD_ERROR_PASSWORD_NEEDED,
    N_("A Password Is Needed"),
    N_("The content is encrypted. Nothing was written. Try again and give the password."),
    N_("needs a password") },
  { HOLD_ERROR_PASSWORD_WRONG,
    N_("Wrong Password"),
    N_("None of the passwords given fits. Nothing of the encrypted content was written."),
    N_("wrong password") },
  { HOLD_ERROR_UNSAFE_NAME,
    N_("An Unsafe Name Was Refused"),
    N_("The archive holds a name or a link that would lead outside the chosen folder. Nothing was "
       "written there."),
    N_("its name or link leads outside the folder") },
  { HOLD_ERROR_TOO_LARGE,
    N_("Too Large"),
    N_("The content needs more room than there is, or more than is sensible. Nothing half-written "
       "was left. Choose a folder with more free space, or fewer entries."),
    N_("too large") },
  { HOLD_ERROR_CHANGED_ON_DISK,
    N_("The Archive Was Changed by Another Program"),
    N_("Holdall stopped and left the archive alone. Open it again to see its present content."),
    N_("the archive was changed by another program") },
  { HOLD_ERROR_READ_ONLY,
    N_("This Cannot Be Changed"),
    N_("The archive's format, the file or its folder does not allow writing. Nothing was changed."),
    N_("cannot be written") },
};

static const ErrorWords io_words[] = {
  { G_IO_ERROR_NOT_FOUND,
    N_("File Not Found"),
    N_("It may have been moved, renamed or deleted, or its disk was removed."),
    N_("not found") },
  { G_IO_ERROR_PERMISSION_DENIED,
    N_("No Permission"),
    N_("You are not allowed to do this in that place. Nothing was changed. Choose another folder, "
       "or ask the owner for access."),
    N_("no permission") },
  { G_IO_ERROR_NO_SPACE,
    N_("The Disk Is Full"),
    N_("What was complete is still there and nothing half-written was left. Free some space, or "
       "choose a folder on another disk."),
    N_("the disk is full") },
  { G_IO_ERROR_IS_DIRECTORY,
    N_("This Is a Folder"),
    N_("Holdall opens archives. Choose a file, or open the folder in the file manager."),
    N_("a folder is in the way") },
  { G_IO_ERROR_NOT_DIRECTORY,
    N_("A File Is in the Way"),
    N_("A folder is needed where a file lies already. Nothing was replaced."),
    N_("a file is in the way") },
  { G_IO_ERROR_EXISTS,
    N_("There Is Already Something of That Name"),
    N_("It was left as it is."),
    N_("there is already something of that name") },
  { G_IO_ERROR_READ_ONLY,
    N_("The Disk Is Read-Only"),
    N_("Nothing was changed. Choose a folder on another disk."),
    N_("the disk is read-only") },
  { G_IO_ERROR_FILENAME_TOO_LONG,
    N_("The Name Is Too Long"),
    N_("The disk does not take names as long as this one."),
    N_("its name is too long for the disk") },
  { G_IO_ERROR_INVALID_FILENAME,
    N_("The Name Is Not Allowed"),
    N_("The disk does not take a name with these letters."),
    N_("its name is not allowed on the disk") },
  { G_IO_ERROR_NOT_REGULAR_FILE,
    N_("Not a File"),
    N_("This is a device, a pipe or a socket. Holdall opens files."),
    N_("not a file") },
  { G_IO_ERROR_NOT_EMPTY,
    N_("The Folder Is Not Empty"),
    N_("Something that was not moved is still in it, so it stays where it is."),
    N_("something is still in it, so it stays where it is") },
  { G_IO_ERROR_WRONG_ETAG,
    N_("The File Was Changed by Another Program"),
    N_("It changed while it was read, so it stays where it is."),
    N_("it changed while it was read, so it stays where it is") },
  { G_IO_ERROR_NOT_SUPPORTED,
    N_("Not Possible Here"),
    N_("The place where the file lies does not allow this. Nothing was changed."),
    N_("not possible here") },
  { G_IO_ERROR_NOT_MOUNTED,
    N_("This Place Cannot Be Reached"),
    N_("Copy the file to this computer first, or choose a folder of this computer."),
    N_("it is not on this computer") },
  { G_IO_ERROR_CANCELLED,
    N_("Cancelled"),
    N_("Nothing half-written was left."),
    N_("cancelled") },
};

/* Of a connection, whatever it was that failed. */
static const ErrorWords network_words = {
  0,
  N_("The Other Computer Does Not Answer"),
  N_("Check the address and the connection, and try again."),
  N_("the other computer does not answer")
};

static const ErrorWords other_words = {
  0,
  N_("Something Went Wrong"),
  N_("The archive was not changed, and nothing half-written was left."),
  NULL
};

static gboolean
is_of_network (int code)
{
  switch (code)
    {
    case G_IO_ERROR_CONNECTION_CLOSED:
    case G_IO_ERROR_CONNECTION_REFUSED:
    case G_IO_ERROR_HOST_NOT_FOUND:
    case G_IO_ERROR_HOST_UNREACHABLE:
    case G_IO_ERROR_NETWORK_UNREACHABLE:
    case G_IO_ERROR_PARTIAL_INPUT:
    case G_IO_ERROR_TIMED_OUT:
      return TRUE;
    default:
      return FALSE;
    }
}

static const ErrorWords *
find_words (const GError *error)
{
  if (error != NULL && error->domain == HOLD_ERROR)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (hold_words); i++)
        if (hold_words[i].code == error->code)
          return &hold_words[i];
    }
  else if (error != NULL && error->domain == G_IO_ERROR)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (io_words); i++)
        if (io_words[i].code == error->code)
          return &io_words[i];
      if (is_of_network (error->code))
        return &network_words;
    }
  return &other_words;
}

gboolean
holdall_error_text_is_silent (const GError *error)
{
  return error == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

char *
holdall_error_text_title (const GError *error)
{
  return g_strdup (gettext (find_words (error)->title));
}

char *
holdall_error_text_body (const GError *error)
{
  return g_strdup (gettext (find_words (error)->body));
}

char *
holdall_error_text_open_body (const GError *error)
{
  /* There are no entries that could still be whole. */
  if (g_error_matches (error, HOLD_ERROR, HOLD_ERROR_CORRUPT))
    return g_strdup (_("Its content contradicts itself, so nothing of it can be shown. The archive was "
                       "not changed. Get a fresh copy of it."));
  return holdall_error_text_body (error);
}

char *
holdall_error_text_reason (const GError *error)
{
  const ErrorWords *words = find_words (error);

  /* An unknown failure is better told in the engine's words than not at all. */
  if (words->reason == NULL)
    return holdall_error_text_details (error);
  return g_strdup (gettext (words->reason));
}

char *
holdall_error_text_details (const GError *error)
{
  g_autofree char *valid = NULL;

  if (error == NULL || error->message == NULL || *error->message == '\0')
    return g_strdup (_("No further details are known."));

  valid = g_utf8_make_valid (error->message, -1);
  return hold_path_escape_for_display (valid);
}
