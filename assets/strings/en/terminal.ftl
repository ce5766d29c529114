### Sentences of the terminal face. (The texts of --help stand in src/cli/arguments.rs.)

## Progress

progress-part = { $percent } %
progress-of = { $done } of { $total }
progress-left = { $time } left
progress-items = { $final ->
    [yes] { $done } of { $total } items
   *[no] { $done } items, { $total } found so far
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
ask-same-file = { $more ->
    [0] “{ $path }” would be copied onto itself.
   *[other] “{ $path }” would be copied onto itself ({ $more } more to answer).
}
ask-existing = there:  { $facts }, “{ $path }”
ask-coming = coming: { $facts }, “{ $path }”
ask-folder = a folder
ask-link = a symbolic link
ask-special = a special file
ask-is-newer = newer
ask-is-larger = larger
ask-skip = s skip
ask-replace = r replace
ask-newer = n replace if newer
ask-different = d replace if different
ask-keep-both = k keep both as “{ $name }”
ask-rename = rename NAME
ask-all = A letter for this one, a capital for all of this kind:
ask-new-name = The new name:
ask-again = Please answer with one of the letters.
ask-bad-name = No file can have this name here. Please give another one.

## Ends and errors

engine-ended = The engine ended before the job did. This is a defect of Ferry: please report it.
more-failures = { $count ->
    [one] { $count } more failure is not named here.
   *[other] { $count } more failures are not named here.
}
list-empty = The list “{ $list }” names no file: there is nothing to do.
list-has-lines = The list has line ends but no NUL in it: names must be separated by NUL, as “find -print0” does.
