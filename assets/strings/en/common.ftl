### Sentences of both faces: the window and the terminal.

## What was being done when it failed, and why ($reason is a sentence part from below)

failed-inspect = Could not look at “{ $path }”: { $reason }.
failed-open = Could not open “{ $path }”: { $reason }.
failed-list = Could not list the folder “{ $path }”: { $reason }.
failed-read = Could not read “{ $path }”: { $reason }.
failed-make-folder = Could not make the folder “{ $path }”: { $reason }.
failed-create = Could not make “{ $path }”: { $reason }.
failed-write = Could not write “{ $path }”: { $reason }.
failed-clone = Could not clone “{ $path }”: { $reason }.
failed-set-attributes = Could not set the attributes of “{ $path }”: { $reason }.
failed-publish = Could not give “{ $path }” its name: { $reason }.
failed-remove = Could not remove “{ $path }”: { $reason }.
failed-rename = Could not rename “{ $path }”: { $reason }.
failed-flush = Could not write “{ $path }” through to the device: { $reason }.
failed-verify = Could not verify “{ $path }”: { $reason }.

## Why: parts of the sentences above. $operation is the end of one of their ids.

reason-not-there = { $operation ->
    [inspect] there is no such file or folder
    [make-folder] the folder that it is to lie in is not there
    [create] the folder that it is to lie in is not there
    [publish] the folder that it is to lie in is not there
   *[other] it, or the folder that it lies in, is no longer there
}
reason-permission = you do not have permission
reason-not-allowed = the system does not allow it
reason-exists = something of that name is already there
reason-no-space = no space is left on the device
reason-quota = the quota of disk space is used up
reason-read-only = the file system is read-only
reason-device-fault = the device reports a fault
reason-name-too-long = the name is too long for this file system
reason-name-refused = the file system cannot store this name
reason-link-in-the-way = a symbolic link stands in the way, or links lead in a circle
reason-too-many-links = the file has as many hard links as the file system allows
reason-too-many-open = too many files are open
reason-running = the program in it is running
reason-busy = it is in use
reason-try-again = it was not ready
reason-too-large = the file is too large for the file system
reason-invalid = { $operation ->
    [create] the file system refuses this name
    [make-folder] the file system refuses this name
    [publish] the file system refuses this name
    [rename] the file system refuses this name
    [set-attributes] the file system refuses these attributes
   *[other] the file system refuses this
}
reason-device-gone = the device is gone
reason-not-a-folder-there = a part of its path is not a folder
reason-is-a-folder = a folder is there
reason-not-empty = the folder is not empty
reason-other-file-system = it lies on another file system
reason-no-answer = there was no answer in time
reason-connection-lost = the connection to the server is lost
reason-not-supported = the file system cannot do this
reason-no-memory = the machine has run out of memory
reason-damaged = the file system is damaged
reason-no-key = its encryption key is missing

## Failures with a sentence of their own

error-same-file = “{ $path }” would be copied onto itself.
error-into-itself = The folder “{ $path }” would be copied into itself.
error-not-a-folder = “{ $path }” is not a folder.
error-type-differs = A file and a folder have the same name: “{ $path }”.
error-no-name = “{ $path }” has no name of its own to keep.
error-no-sources = There is nothing to copy or to move.
error-changed = “{ $path }” changed while it was copied.
error-mismatch = The copy “{ $path }” reads back differently from its source.
error-cannot-clone = “{ $path }” cannot be cloned: these file systems cannot share data.
error-no-links = “{ $path }” was not made: this file system has no symbolic links.
error-bad-name = No file can have the name “{ $path }”.
error-not-replaced = Not all of the folder could be copied, so it replaced nothing: what was copied is in “{ $path }”.
error-internal = Ferry itself failed at “{ $path }”.

## What can be done. $operation as above.

remedy-not-there = { $operation ->
    [inspect] Check the spelling of the path.
    [make-folder] Check the path: the folder may have another name, or was moved or removed.
    [create] Check the path: the folder may have another name, or was moved or removed.
    [publish] See whether another program has moved or removed the folder.
   *[other] See whether another program has moved or removed it.
}
# Looked at and opened are both sides: the sources and the destination.
remedy-permission = { $operation ->
    [inspect] Ask for permission to look into the folder that it lies in.
    [open] Ask its owner for permission to open it.
    [list] Ask its owner for permission to read it.
    [read] Ask its owner for permission to read it.
    [verify] Ask its owner for permission to read it.
    [set-attributes] Only its owner may change these.
    [rename] Ask for permission to change the folder that it lies in.
    [remove] Ask for permission to change the folder that it lies in.
   *[other] Choose a folder that you may write to.
}
remedy-not-allowed = See whether it belongs to someone else, or is protected from changes.
remedy-exists = Choose another name, or say what is to be done with names that are taken.
remedy-no-space = Make room on the device, then try again.
remedy-quota = Remove files of yours on that device, or ask for a larger quota.
remedy-read-only = { $operation ->
    [remove] Copy it instead of moving it, or mount its file system for writing.
    [rename] Mount the file system for writing.
   *[other] Choose another destination, or mount this one for writing.
}
remedy-device-fault = Check the device and its cable, then try again.
remedy-name-too-long = Give it a shorter name.
remedy-name-refused = Give it a simpler name.
remedy-link-in-the-way = Check where the links in its path lead.
remedy-too-many-open = Close some programs, then try again.
remedy-running = End the program, then try again.
remedy-busy = End the program that uses it, then try again.
remedy-try-again = Try again.
remedy-too-large = Choose a destination without such a limit (FAT takes 4 GB a file).
remedy-invalid = { $operation ->
    [create] Give it a name without \ : * ? " < > and |.
    [make-folder] Give it a name without \ : * ? " < > and |.
    [publish] Give it a name without \ : * ? " < > and |.
    [rename] Give it a name without \ : * ? " < > and |.
    [set-attributes] Leave these attributes out, or choose another destination.
    [write] Choose another destination.
    [clone] Let Ferry copy the data instead.
    [flush] Choose another destination.
   *[other] See whether another program can read it.
}
remedy-device-gone = Connect the device, then try again.
remedy-not-a-folder-there = Check the path.
remedy-is-a-folder = Choose another name, or move the folder out of the way.
remedy-not-empty = See what is still in it.
remedy-other-file-system = Copy it there, then remove it here.
remedy-too-many-links = Copy it without keeping hard links.
remedy-not-supported = { $operation ->
    [clone] Let Ferry copy the data instead.
    [inspect] See whether another program can read it.
    [open] See whether another program can read it.
    [list] See whether another program can read it.
    [read] See whether another program can read it.
    [verify] See whether another program can read it.
   *[other] Choose a destination on another file system.
}
remedy-unknown = Try again; if that fails too, see whether another program can do it.
remedy-no-answer = Check the connection, then try again.
remedy-connection-lost = Check the connection, then try again.
remedy-no-memory = Close some programs, then try again.
remedy-damaged = Have the file system checked before you rely on it.
remedy-no-key = Unlock the folder, then try again.
remedy-same-file = Choose another folder, or keep both.
remedy-into-itself = Choose a folder outside of it.
remedy-not-a-folder = Choose a folder.
remedy-type-differs = Rename one of them, or keep both.
remedy-no-name = Name the files and folders in it.
remedy-no-sources = Name at least one file or folder.
remedy-changed = Copy it again when nothing writes to it.
remedy-mismatch = Copy it again; if that fails too, do not rely on the device.
remedy-cannot-clone = Let Ferry copy the data instead.
remedy-no-links = Skip the links, or copy what they lead to.
remedy-bad-name = Choose another name.
remedy-not-replaced = The folder that was there is as it was. See what failed, then copy it again.
remedy-internal = This is a defect of Ferry: please report it.

## What was not kept or was left out; $example is one of the $count entries

notice-socket = { $count ->
    [one] A socket was left out, since sockets cannot be copied: “{ $example }”.
   *[other] { $count } sockets were left out, since sockets cannot be copied; one is “{ $example }”.
}
notice-owner = { $count ->
    [one] The owner or group of “{ $example }” could not be kept.
   *[other] The owner or group of { $count } items could not be kept; one is “{ $example }”.
}
notice-xattr = { $count ->
    [one] Extended attributes of “{ $example }” could not be kept.
   *[other] Extended attributes of { $count } items could not be kept; one is “{ $example }”.
}
notice-acl = { $count ->
    [one] The access list of “{ $example }” could not be kept.
   *[other] The access lists of { $count } items could not be kept; one is “{ $example }”.
}
notice-mode = { $count ->
    [one] The permissions of “{ $example }” could not be kept.
   *[other] The permissions of { $count } items could not be kept; one is “{ $example }”.
}
notice-times = { $count ->
    [one] The times of “{ $example }” could not be kept.
   *[other] The times of { $count } items could not be kept; one is “{ $example }”.
}
notice-hard-link = { $count ->
    [one] A hard link became a copy of its own: “{ $example }”.
   *[other] { $count } hard links became copies of their own; one is “{ $example }”.
}
notice-clone-not-verified = { $count ->
    [one] A cloned file needed no verifying, since it shares its source's data: “{ $example }”.
   *[other] { $count } cloned files needed no verifying, since they share their sources' data; one is “{ $example }”.
}
notice-verified-in-memory = { $count ->
    [one] A copy was compared with what memory holds of it, since it could not be read past the cache: “{ $example }”.
   *[other] { $count } copies were compared with what memory holds of them, since they could not be read past the cache; one is “{ $example }”.
}
notice-not-checkable = { $count ->
    [one] “{ $example }” was copied, but is not in the list of checksums, where its name cannot stand.
   *[other] { $count } files were copied, but are not in the list of checksums, where their names cannot stand; one is “{ $example }”.
}
notice-unanswered = { $count ->
    [one] “{ $example }” was left: its name is taken, and nobody could be asked.
   *[other] { $count } items were left, since their names are taken and nobody could be asked; one is “{ $example }”.
}
notice-type-differs = { $count ->
    [one] “{ $example }” was left: a file and a folder have this name.
   *[other] { $count } items were left, since a file and a folder have the same name; one is “{ $example }”.
}
notice-foreign-name = { $count ->
    [one] “{ $example }” was left: the file system takes no such name, and nobody could be asked.
   *[other] { $count } items were left, since the file system takes no such names and nobody could be asked; one is “{ $example }”.
}
notice-same-file = { $count ->
    [one] “{ $example }” was left: it would be copied onto itself.
   *[other] { $count } items were left, since they would be copied onto themselves; one is “{ $example }”.
}
notice-replaced-not-kept = { $count ->
    [one] The old “{ $example }” was replaced for good: it could not be kept for undo.
   *[other] { $count } files were replaced for good: the old ones could not be kept for undo; one is “{ $example }”.
}
notice-replaced-given-up = { $count ->
    [one] The device was full: the old “{ $example }”, kept for undo, was given up for its room.
   *[other] The device was full: { $count } old files, kept for undo, were given up for their room; one is “{ $example }”.
}
notice-earlier-given-up = { $count ->
    [one] The device was full: an old file that an earlier job kept for undo was given up to have room for “{ $example }”.
   *[other] The device was full: { $count } old files that earlier jobs kept for undo were given up for their room, the first to have it for “{ $example }”.
}
notice-not-remembered = What this job did could not be written down: it cannot be resumed or undone.
notice-source-left = { $count ->
    [one] A source was left in its place, since it changed or holds something that was not moved: “{ $example }”.
   *[other] { $count } sources were left in their places, since they changed or hold something that was not moved; one is “{ $example }”.
}

## What can be done about what was left

left-unanswered = Say what is to be done with names that are taken: --conflict=skip, replace, newer or keep-both, and --folder-conflict for folders.
left-foreign-name = Use --foreign-names=map to copy them under other names, or --foreign-names=skip.
left-type-differs = Rename one of the two, or use --conflict=keep-both.
left-same-file = Choose another folder, or use --conflict=keep-both.
left-not-checkable = Compare such copies with --verify.

## How data goes

route-clone = { $same ->
    [yes] cloned on { $source }: no data moves
   *[no] cloned, { $source } to { $destination }: no data moves
}
route-in-kernel = { $same ->
    [yes] copied in the kernel, on { $source }
   *[no] copied in the kernel, { $source } to { $destination }
}
route-read-write = { $same ->
    [yes] read and written, on { $source }
   *[no] read and written, { $source } to { $destination }
}
route-rename = { $same ->
    [yes] renamed on { $source }: no data moves
   *[no] renamed, { $source } to { $destination }: no data moves
}

## Reports as files. $there is where something is now.

report-lacks-reasons = Out of the history of an older Ferry, which did not write down why something failed or what was not kept.
report-source = Source: “{ $path }”
report-destination = Destination: “{ $path }”
report-pending = Not reached: “{ $path }”
report-in-work = Not finished: “{ $path }”
report-asked = Not answered: “{ $path }”
report-renamed = Under another name: “{ $path }” is “{ $there }”
report-skipped = Skipped: “{ $path }”
report-unanswered = Left undecided: “{ $path }”
report-failed = Failed: “{ $path }”
report-changed = Changed while it was copied: “{ $path }”
report-set-aside = What stood in the place of “{ $path }” is “{ $there }”

## Settings

settings-unreadable = The settings “{ $path }” could not be read: { $what }.
settings-no-home = You have no home folder: the settings are not kept.
settings-not-written = The settings “{ $path }” could not be written: { $what }.
settings-broken = The settings “{ $path }” are not one JSON object, and are left out: { $what }.
settings-no-braces = there are no braces around it
settings-unknown = The settings “{ $path }” have “{ $what }”, which Ferry does not know.
# The words are those of the command line.
settings-wrong = The settings “{ $path }” have a value for “{ $what }” that cannot be. { $what ->
    [conflict] It can be ask, skip, replace, newer, different, size-or-time, keep-both, keep-existing or rename.
    [folder_conflict] It can be merge, ask, skip, replace, keep-both, keep-existing or rename.
    [rename_pattern] It is text with {"{"}name{"}"} in it, and may have {"{"}ext{"}"}, {"{"}date{"}"}, {"{"}time{"}"} and {"{"}number{"}"}.
    [keep_replaced] It can be undo, trash, job, no, or a number of days from 1 to 30.
    [verify] It can be true or false.
    [preserve] It can be all, none, or a list of mode, times, owner, xattr and links.
   *[workers] It can be automatic, or a number from 1 to 64.
}
