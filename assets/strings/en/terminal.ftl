### Sentences of the terminal face. (The texts of --help stand in src/cli/arguments.rs.)

## Progress

progress-part = { $percent } %
progress-of = { $done } of { $total }
progress-left = { $time } left
progress-items = { $final ->
    [yes] { $total ->
        [one] { $done } of { $total } item
       *[other] { $done } of { $total } items
    }
   *[no] { $done ->
        [one] { $done } item, { $total } found so far
       *[other] { $done } items, { $total } found so far
    }
}
progress-flushing = writing through to the device
progress-verifying = comparing the copies with their sources
progress-removing = removing the moved sources

## Questions. $more counts the questions that wait behind this one.

ask-exists = { $more ->
    [0] “{ $path }” is already there.
   *[other] “{ $path }” is already there ({ $more } more to answer).
}
ask-type-differs = { $more ->
    [0] “{ $path }” is a folder on one side and none on the other.
   *[other] “{ $path }” is a folder on one side and none on the other ({ $more } more to answer).
}
ask-folder-exists = { $more ->
    [0] The folder “{ $path }” is already there.
   *[other] The folder “{ $path }” is already there ({ $more } more to answer).
}
ask-sources-meet = { $more ->
    [0] “{ $path }” was just copied there from another source of this job.
   *[other] “{ $path }” was just copied there from another source of this job ({ $more } more to answer).
}
ask-same-file = { $more ->
    [0] “{ $path }” would be copied onto itself.
   *[other] “{ $path }” would be copied onto itself ({ $more } more to answer).
}
ask-foreign-name = The file system of the destination ({ $system }) refuses some names of this job. They could be:
ask-foreign-example =   “{ $name }” as “{ $mapped }”
ask-foreign-choices = m copy all such under names like these  s skip all such
ask-foreign-all = A letter for the whole job:
ask-existing = there:  { $facts }, “{ $path }”
ask-coming = coming: { $facts }, “{ $path }”
ask-folder = a folder
ask-link = a symbolic link
ask-special = a special file
ask-is-newer = newer
ask-is-larger = larger
ask-skip = s skip
ask-merge = m merge
ask-replace = r replace
ask-replace-folder = r replace, the old one goes to the trash
ask-newer = n replace if newer
ask-different = d replace if different
ask-size-or-time = t replace if size or time differ
ask-keep-both = k keep both as “{ $name }”
ask-keep-existing = e keep both, what is there gets the other name
ask-pattern = p rename to “{ $pattern }”
ask-rename = rename NAME
ask-all = A letter for this one, a capital for all of this kind, a capital and ! for all kinds:
ask-new-name = The new name:
ask-again = Please answer with one of the letters.
ask-bad-name = No file can have this name here. Please give another one.

## Ends and errors

left-without-answer = { $count ->
    [one] One item was left, since its name is taken and there was no answer.
   *[other] { $count } items were left, since their names are taken and there was no answer.
}

# Behind what became of a cancelled job.
can-be-resumed = “ferry resume { $job }” finishes it, “ferry undo { $job }” takes back what it did.
not-begun = Ferry could not begin: { $reason }.
engine-ended = The engine ended before the job did. This is a defect of Ferry: please report it.
failures-alike = { $count } more failed like that. --report FILE names each of them.
more-failures = { $count ->
    [one] { $count } more failure is not named here.
   *[other] { $count } more failures are not named here.
}
output-not-written = Not all could be written to standard output: { $reason }.
json-not-written = Not all events could be written to standard output: { $reason }.
list-empty = The list “{ $list }” names no file: there is nothing to do.
list-has-lines = The list has line ends but no NUL in it: names must be separated by NUL, as “find -print0” does.

## History, resume

history-line = { $more ->
    [0] { $job }  { $when }  { $state }  { $kind } “{ $source }” to “{ $destination }”{ $counts }
   *[other] { $job }  { $when }  { $state }  { $kind } “{ $source }” and { $more } more to “{ $destination }”{ $counts }
}
# Behind a job, and only what there is of it.
history-counts = {": "}{ $counts }
history-count-done = { $count } done
history-count-skipped = { $count } skipped
history-count-failed = { $count } failed
history-running = running
history-unfinished = unfinished
history-finished = finished
history-cancelled = cancelled
history-refused = refused
history-undone = undone
history-empty = There are no jobs yet.
history-no-home = You have no home folder: no job is remembered.
history-unknown = There is no job { $job }. “ferry history” lists them.
history-is-running = Job { $job } is running, or being undone, in another Ferry.
history-unreadable = The journal of job { $job } cannot be understood: it is damaged, or was written by a later version of Ferry.
history-is-undone = Job { $job } was undone already.
history-ended = Job { $job } has ended: nothing of it is left to do.
history-io = The journals of earlier jobs cannot be read or written: { $reason }.
history-not-ended = Job { $job } has not ended: there is no report of it yet.
history-no-destination = The destination of job { $job } is not there, or another folder stands in its place. Is its device connected?
resume-nothing = No job is unfinished.
resume-which = Several jobs are unfinished. Please say which one is to go on: ferry resume JOB
# The job, as the history lists it.
resume-only = The job that is unfinished: { $job }
redo-last = The last job that was undone: { $job }
redo-nothing = No job was undone: there is nothing to do again.

## Room of replaced files

free-nothing = No replaced files are kept for undo.
free-would = { $count ->
    [one] { $count } replaced file is kept for undo, since { $when }: removing it would give back { $size }.
   *[other] { $count } replaced files are kept for undo, the oldest since { $when }: removing them would give back { $size }.
}
free-did = { $count ->
    [one] { $size } given back: { $count } replaced file was removed. Undo does not bring it back any more.
   *[other] { $size } given back: { $count } replaced files were removed. Undo does not bring them back any more.
}

## Undo

undo-nothing = There is no job to undo.
# Before it is undone: the job, as the history lists it.
undo-last = The last job that can be undone: { $job }
# $what is a list of the parts below.
undo-did = Job { $job } is undone: { $what }.
undo-did-in-part = Job { $job } is undone as far as it can be: { $what }.
undo-stopped = Stopped. Of job { $job } so far: { $what }. The rest can be undone later.
undo-would = Undoing job { $job } would give: { $what }.
undo-what-nothing = nothing was there to take back
undo-would-nothing = nothing is there to take back
undo-removed = { $count ->
    [one] { $count } copy removed
   *[other] { $count } copies removed
}
undo-back = { $count ->
    [one] { $count } replaced file brought back
   *[other] { $count } replaced files brought back
}
undo-moved = { $count } moved back
undo-folders = { $count ->
    [one] { $count } folder removed
   *[other] { $count } folders removed
}
undo-gone = { $count } not there any more
undo-left = { $count } left
undo-left-changed = left, changed since: “{ $path }”
undo-left-replaced-gone = left, since the file that it replaced is kept no longer: “{ $path }”
undo-left-place-taken = left, since something else has its old place: “{ $path }”
undo-left-not-there = not there any more, so it cannot be moved back: “{ $path }”
undo-left-not-empty = left, since it holds something that the job did not make: “{ $path }”
undo-left-old-in-trash = left, since it is not known whether it took the place of an older one that lies in the trash: “{ $path }”
undo-left-aside-gone = not there any more, so it cannot get its name back: “{ $path }”
undo-left-not-told = left, since the record of where it was moved from was lost: “{ $path }”
# After one of the lines above.
undo-left-old = the old one is here: “{ $path }”
undo-left-more = { $count ->
    [one] { $count } more is left and not named here.
   *[other] { $count } more are left and not named here.
}
