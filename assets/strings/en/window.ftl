### Sentences of the window. Counts are numbers; all else is text.

window-separator = {" · "}
window-nothing = Nothing
window-and-more = { $name } and { $count } more
window-and-more-short = { $name } +{ $count }
window-to = to { $place }
window-unknown = –

## Without a display

window-no-display = there is no display to open a window on ({ $reason }); "ferry copy" works in the terminal
window-display-not-set = DISPLAY and WAYLAND_DISPLAY are not set
window-display-silent = { $display } does not answer

## The head

window-add-files = Add files
window-add-folder = Add folder
window-history = History (H)
window-jobs = { $count ->
    [one] { $count } job
   *[other] { $count } jobs
}
window-theme-system = Colours: as the desktop has them (T)
window-theme-light = Colours: light (T)
window-theme-dark = Colours: dark (T)

## Without jobs

window-empty-title = Nothing to carry yet
window-empty-hint = Drop files or folders here, or add them. Then say where they shall go.
window-add-files-more = Add files…
window-add-folder-more = Add folder…
window-drop = { $count ->
    [one] Drop here to copy or move { $count } item
   *[other] Drop here to copy or move { $count } items
}

## Choosers

window-choose-files = Files to copy
window-choose-folders = Folders to copy
window-choose-report = Where to save the report
window-report-text = Text
window-report-csv = Table (CSV)
window-report-json = JSON
window-choose-folder = Folder to copy into
window-no-chooser = This desktop has no file chooser
window-not-saved-hint = Choose another place for the report.
window-settings-hint = The rest of the settings is used. Mend the file and start Ferry again for all of them.
window-no-chooser-hint = Drop files onto the window, or name them when you start Ferry. Installing zenity or a desktop portal brings the chooser.
window-no-file-manager = No file manager could be opened
window-no-file-manager-hint = Installing xdg-utils and a file manager brings it.
window-understood = All right

## The list of jobs

window-jobs-title = JOBS
window-remove-ended = Remove ended
window-pause = Pause
window-resume = Go on
window-cancel = Cancel
window-remove = Remove
window-earlier = Run earlier (Ctrl+Up)
window-later = Later
window-run-now = Run now, beside the others (N)
window-run-now-short = Run now
window-run-later = Run later (Ctrl+Down)
window-waits-for = waits for { $job }
window-sources = { $count ->
    [one] { $count } source
   *[other] { $count } sources
}
window-items = { $count ->
    [one] { $count } item
   *[other] { $count } items
}
window-items-of = { $count ->
    [one] { $through } of { $count } item
   *[other] { $through } of { $count } items
}
window-items-of-so-far = { $count ->
    [one] { $through } of { $count } item so far
   *[other] { $through } of { $count } items so far
}
window-bytes-of = { $done } of { $total }
window-left = { $time } left
window-wait-for-you = { $count ->
    [one] { $count } waits for you
   *[other] { $count } wait for you
}
window-queued = queued
window-waits-to-go-on = waits to go on
window-paused = paused
window-cancelling = stopping
window-refused = could not start
window-cancelled = cancelled
window-stopped = stopped
window-done-copied = copied
window-done-moved = moved

## The chosen job

window-route-queued = Waits for its turn
window-route-none = Nothing was copied
window-route-unknown = Looks at the sources
window-need-decision = { $count ->
    [one] { $count } file needs a decision.
   *[other] { $count } files need a decision.
}
window-others-go-on = { $count ->
    [one] The other one goes on.
   *[other] The other { $count } go on.
}
window-drafts = { $count ->
    [one] { $count } is decided in the list, not yet applied.
   *[other] { $count } are decided in the list, not yet applied.
}
window-job-is-paused = The job is paused.
window-decide = Decide
window-names-refused = The destination refuses some names.
window-names-title = The destination refuses some names
window-names-hint = Its file system ({ $system }) takes no names like these. They can be copied under other names, all of this job in the same way.
window-names-map = Copy under these names
window-names-skip = Skip them
window-have-failed = { $count ->
    [one] { $count } item has failed.
   *[other] { $count } items have failed.
}
window-look = Look
window-retry = Retry
window-retry-all = Retry all
window-skip-all = Skip all
window-percent = { $count } %
window-entry-rate = { $count ->
    [one] { $count } item/s
   *[other] { $count } items/s
}
window-verified-so-far = verified
window-flushing-figure = Writing
window-to-the-device = through to the device
window-removing-figure = Removing
window-moved-sources = the moved sources
window-flushing = writing to the device
window-verifying = verifying
window-removing = removing the sources
window-on-average = on average
window-until = until { $time }
window-left-unknown = time left
window-took = in all
window-paused-figure = Paused
window-waits-figure = Waits
window-for-you = for you
window-queued-figure = Queued
window-for-its-turn = waits for its turn
window-to-go-on = goes on in its turn
window-copied = copied
window-moved = moved
window-of-total = { $count ->
    [one] of { $count } item
   *[other] of { $count } items
}
window-left-out-count = { $count } left out
window-skipped-count = { $count } skipped
window-unanswered-count = { $count } not answered
window-failed-count = { $count } failed
window-open = Open folder
window-repeat = Repeat
window-save-report = Save report
window-curve = Rate, last 2 minutes
window-curve-young = Rate since the start
window-peak = peak { $rate }

## The list of entries

window-tab-all = All
window-tab-in-work = In work
window-tab-waiting = To decide
window-tab-failed = Failed
window-tab-skipped = Skipped
window-tab-done = Done
window-find = Find a file
window-none-found = No name with “{ $name }” here.
window-list-empty = The sources are being listed.
window-list-queued = The job waits for its turn.
window-list-paused = The job is paused.
window-list-nothing = Nothing was found to copy.
window-list-no-work = Nothing is in work now.
window-list-no-waiting = There is nothing to decide.
window-list-no-failed = Nothing has failed.
window-list-no-skipped = Nothing was skipped.
window-list-no-done = Nothing is done yet.
window-entry-waiting = waiting
window-entry-not-begun = not begun
window-entry-in-work = in work
window-skip-file = Skip this file (S)
window-entry-filling = being filled
window-entry-copied = copied
window-entry-moved = moved
window-entry-renamed = under another name
window-entry-skipped = skipped
window-entry-unanswered = not answered
window-entry-asked = waits for you
window-entry-failed = failed
window-entry-changed = changed meanwhile

## Where to

window-copy-to = { $count ->
    [one] Copy { $count } item to…
   *[other] Copy { $count } items to…
}
window-copy-to-one = Copy “{ $name }” to…
window-move-to = { $count ->
    [one] Move { $count } item to…
   *[other] Move { $count } items to…
}
window-move-to-one = Move “{ $name }” to…
window-from = from { $folder }
window-from-several = from several folders
window-place-home = Home
window-place-recent = recent
window-place-device = device
window-path-hint = Type a folder’s path, or choose one
window-other-folder = Other folder…
window-free = { $size } free
window-place-inside = This folder lies in “{ $name }”, which cannot be copied into itself.
window-sources-missing = { $count ->
    [one] “{ $name }” is not there.
   *[other] { $count } of them are not there, as “{ $name }”.
}
window-place-made = Will be made
window-place-looking = Looking…
window-place-none = Choose a folder.
window-place-relative = Give the whole path, beginning with / or ~.
window-place-not-a-folder = This is a file, not a folder.
window-place-refused = You do not have permission to look at this folder.
window-place-silent = This folder does not answer.
window-place-no-chooser = This desktop has no file chooser: type the path instead.
window-join = Add to “{ $name }”, which goes there too
window-kind-copy = Copy
window-kind-move = Move
window-options = Options
window-keep = Keep
window-keep-tip = What is kept of each file beside its data; everything: also owner, extended attributes and hard links
window-keep-all = Everything
window-keep-mode-times = Permissions and times
window-keep-none = The data alone
window-verify = Verify
window-verify-tip = Read the copies back from the device and compare them (Alt+V)
window-copy-here = Copy here
window-move-here = Move here
window-dismiss = Cancel

## A taken name

window-is-already-there = “{ $name }” is already there
window-folder-is-there = The folder “{ $name }” is already there
window-sources-meet = “{ $name }” comes from two sources
window-is-a-folder-there = “{ $name }” is already there as a folder
window-is-a-file-there = “{ $name }” is already there as a file
window-in = in { $folder }
window-question-of = question { $number } of { $count }
window-same-file-badge = one and the same file
window-contents-differ = the contents differ
window-contents-equal = the contents are equal
window-contents-compared = comparing the contents
window-contents-unread = the contents could not be compared
window-previous-question = The question before (Page Up)
window-next-question = The next question (Page Down)
window-coming = Coming
window-already-there = Already there
window-from-another-source = From another source of this job
window-newer = newer
window-larger = larger
window-size = Size
window-changed = Changed
window-where = In
window-kind = Kind
window-a-folder = Folder
window-a-link = Link
window-skip = Skip
window-keep-both-as = Keep both as “{ $name }”
window-rename = Rename…
window-replace-newer = Replace if newer
window-replace-size-or-time = Replace if size or time differ
window-keep-existing-as = Rename what is there to “{ $name }”
window-replace-only = Replace only
window-if-newer = if newer
window-if-different = if different
window-if-size-or-time = if size or time differ
window-keep-existing = Rename what is there
window-merge = Merge the folders
window-replace-folder = Replace, the old one to the trash
window-replace-different = Replace if different
window-replace = Replace
window-name-hint = Another name, or one for many: {"{"}name{"}"} ({"{"}date{"}"}){"{"}ext{"}"}
window-take-name = Copy under this name
window-name-empty = A name cannot be empty.
window-name-impossible = A name cannot be “.” or “..”, hold “/”, or be longer than 255 bytes.
window-pattern-needed = For several, a name needs {"{"}name{"}"}; it may have {"{"}ext{"}"}, {"{"}date{"}"}, {"{"}time{"}"} and {"{"}number{"}"}.
window-same-for-every = and for every kind
window-same-for-others = { $count ->
    [0] Do the same for all of this kind
    [one] Do the same for the other one of this kind
   *[other] Do the same for the other { $count } of this kind
}

## All taken names

window-table = List
window-table-title = { $count ->
    [one] { $count } file is already there
   *[other] { $count } files are already there
}
window-table-for-this = For this row:
window-table-for-selected = For the { $count } selected:
window-table-name = Name
window-table-answer = What to do
window-table-ask = Ask
window-table-decided = { $count } decided
window-table-open = { $count } open
window-table-apply = Apply
window-keep-both = Keep both

## Jobs of earlier days

window-left-one = “{ $name }” to “{ $place }” was not finished.
window-left-one-short = “{ $name }” was not finished.
window-left-many = { $count ->
    [one] { $count } job was not finished.
   *[other] { $count } jobs were not finished.
}
window-left-resume = Go on
window-left-discard = Discard
window-close = Close
window-past-title = History
window-past-hint = U undoes the chosen job, G lets it go on, R does it again, O opens its folder.
window-past-empty = No job has been remembered yet.
window-past-looking = Looking…
window-past-amount = { $count ->
    [one] { $count } item ({ $size })
   *[other] { $count } items ({ $size })
}
window-past-resume = Go on (G)
window-past-undo = Undo… (U)
window-past-again = Do it again (R)
window-past-open = Open folder (O)
window-past-forget = Forget… (Delete)
window-past-is-running = runs
window-past-is-unfinished = not finished
window-past-is-undone = undone
window-past-has-failures = with failures
window-past-cannot = Nothing was changed.
window-past-unknown = This job is no longer remembered
window-past-running = This job is running, here or in another Ferry
window-past-unreadable = The journal of this job cannot be understood
window-past-undone = This job was undone already
window-past-ended = This job has come to its end
window-past-no-destination = The destination of this job is not there
window-past-io = The journals cannot be read or written
window-past-no-thread = The system has no room for another thread
window-forget-title = Forget this job?
window-forget-hint = What it has copied stays. It can then no longer be undone or finished, and replaced files that were kept for it are removed.
window-forget-keep = Keep it
window-forget-go = Forget

## Undo

window-undo = Undo
window-undo-title = Undo “{ $name }”?
window-undo-done-title = “{ $name }” was undone
window-undo-looking = Looking what is there…
window-undo-running = { $count ->
    [one] { $count } item looked at…
   *[other] { $count } items looked at…
}
window-undo-stop = Stop
window-undo-go = Undo
window-undo-nothing = There is nothing to take back.
window-undo-will-remove = { $count ->
    [one] { $count } copy will be removed
   *[other] { $count } copies will be removed
}
window-undo-will-bring-back = { $count ->
    [one] { $count } replaced file will come back
   *[other] { $count } replaced files will come back
}
window-undo-will-move-back = { $count ->
    [one] { $count } item will be moved back
   *[other] { $count } items will be moved back
}
window-undo-will-remove-folders = { $count ->
    [one] { $count } empty folder will be removed
   *[other] { $count } empty folders will be removed
}
window-undo-removed = { $count ->
    [one] { $count } copy was removed
   *[other] { $count } copies were removed
}
window-undo-brought-back = { $count ->
    [one] { $count } replaced file came back
   *[other] { $count } replaced files came back
}
window-undo-moved-back = { $count ->
    [one] { $count } item was moved back
   *[other] { $count } items were moved back
}
window-undo-removed-folders = { $count ->
    [one] { $count } empty folder was removed
   *[other] { $count } empty folders were removed
}
window-undo-gone = { $count ->
    [one] { $count } item is no longer there.
   *[other] { $count } items are no longer there.
}
window-undo-left = { $count ->
    [one] { $count } item stays as it is:
   *[other] { $count } items stay as they are:
}
window-undo-changed = changed since
window-undo-replaced-gone = the file that it replaced is no longer kept
window-undo-place-taken = its old place is taken
window-undo-not-there = not where it was moved to
window-undo-not-empty = holds something else
window-undo-old-in-trash = an older one lies in the trash; it is not known whether this replaced it
window-undo-aside-gone = was set aside, and is not there any more
window-undo-not-told = the record of where it was moved from was lost
window-undo-old = { $why }; the old one is here: { $path }

## Failures

window-failures-hint = Everything else goes on. R tries the chosen one again, S skips it.

## Before something is lost

window-cancel-job = Cancel “{ $name }”?
window-cancel-hint = What is already copied stays. No half file is left behind.
window-cancel-keep = Keep the job
window-cancel-stop = Stop for now
window-cancel-stop-hint = As cancelling, but it is remembered that the rest shall follow
window-cancel-go = Cancel the job
window-close-title = { $count ->
    [one] A job has not ended yet
   *[other] { $count } jobs have not ended yet
}
window-close-hint = What is stopped for now can go on when Ferry is opened again. What is already copied stays.
window-close-keep = Keep the window open
window-close-go = Cancel and close

## Settings

window-settings-tip = Settings (Ctrl+,)
window-settings-title = Settings
window-settings-when = Changes count at once, for the jobs that you add from now on.
window-settings-keys = Tab goes on, ↑ and ↓ choose
window-settings-broken = The settings file cannot be understood. Until you begin a new one, changes count only until Ferry ends.
window-settings-anew = Set it aside, begin anew
window-settings-not-written = The change counts until Ferry ends.
window-settings-taken = When a name is taken
window-settings-files = Files
window-settings-folders = Folders
window-settings-pattern = Pattern for new names
window-settings-no-pattern = This is no pattern: it needs {"{"}name{"}"}, and may have {"{"}ext{"}"}, {"{"}date{"}"}, {"{"}time{"}"}, {"{"}number{"}"}.
window-settings-example = Letter.txt
window-settings-example-made = “{ $name }” becomes “{ $made }”
window-settings-ask = Ask me
window-settings-skip = Skip: leave what is there
window-settings-replace = Replace
window-settings-newer = Replace if newer, else skip
window-settings-different = Replace if the contents differ, else skip
window-settings-size-or-time = Replace if size or time differ, else skip
window-settings-keep-both = Keep both, number the new one
window-settings-keep-existing = Keep both, number the old one
window-settings-rename = Keep both, name the new one by the pattern
window-settings-merge = Merge: copy into the folder that is there
window-settings-skip-folder = Skip: leave the folder that is there
window-settings-replace-folder = Replace: the old folder goes to the trash
window-settings-replaced = Replaced files
window-settings-keep = Keep the old ones
window-settings-keep-undo = As long as the job can be undone (30 days)
window-settings-keep-days = { $count ->
    [one] For one day
   *[other] For { $count } days
}
window-settings-keep-job = Until the job has ended
window-settings-keep-trash = In the trash, until I empty it
window-settings-keep-no = Not at all
window-settings-keep-hint = Undo brings them back. On a full disk the oldest go first.
window-settings-keep-hint-trash = Ferry never removes them.
window-settings-keep-hint-no = Undo cannot bring them back.
window-settings-counting = Counting the replaced files that are kept…
window-settings-kept-none = No replaced files are kept.
window-settings-kept-unknown = The replaced files that are kept could not be counted.
window-settings-kept = { $days ->
    [0] Replaced files kept: { $size }, oldest from today
    [one] Replaced files kept: { $size }, oldest from yesterday
   *[other] Replaced files kept: { $size }, oldest from { $days } days ago
}
window-settings-free = Give the room back…
window-settings-free-ask = { $count ->
    [one] Remove { $count } old file for good? Undo cannot bring it back then.
   *[other] Remove { $count } old files for good? Undo cannot bring them back then.
}
window-settings-free-keep = Keep them
window-settings-free-go = Remove
window-settings-freeing = Removing the replaced files that are kept…
window-settings-freed = { $size } given back.
window-settings-copying = Copying
window-settings-check = Verify
window-settings-compare = Compare each copy with its source
window-settings-verify = They are read back from the device: safer, and slower.
window-settings-preserve = Keep of each file
window-settings-mode = Permissions
window-settings-times = Times
window-settings-owner = Owner
window-settings-xattrs = Attributes
window-settings-links = Hard links
window-settings-workers = Files at a time
window-settings-workers-hint = Automatic suits the devices.
window-settings-automatic = Automatic
window-settings-foreign = Names it refuses
window-settings-foreign-hint = A stick may take no “what: now?”. It becomes “what_ now_” there.
window-settings-foreign-map = Copy under a name that it takes
window-settings-foreign-skip = Skip: do not copy these
window-settings-look = Look
window-settings-colours = Colours
window-settings-system = As the desktop has them
window-settings-light = Light
window-settings-dark = Dark
