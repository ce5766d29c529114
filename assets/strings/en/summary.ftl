### Numbers, times and what became of a job: all that a job without trouble says.

## Numbers

decimal-mark = .
items = { $count ->
    [one] { $count } item
   *[other] { $count } items
}

size-bytes = { $count ->
    [one] { $count } byte
   *[other] { $count } bytes
}
size-bytes-short = { $count } B
size-kilo = { $number } KB
size-mega = { $number } MB
size-giga = { $number } GB
size-tera = { $number } TB
size-peta = { $number } PB
size-exa = { $number } EB
# $size is a size, as above.
rate = { $size }/s

## Times

duration-milliseconds = { $count } ms
duration-seconds-part = { $number } s
duration-seconds = { $count } s
duration-minutes = { $count } min
duration-hours = { $count } h
duration-days = { $count } d

moment = { $day } { $month } { $year } { $time }
moment-today = today { $time }
moment-yesterday = yesterday { $time }
day = { $day } { $month } { $year }
day-yesterday = yesterday
moment-unknown = at an unknown time
month-1 = January
month-2 = February
month-3 = March
month-4 = April
month-5 = May
month-6 = June
month-7 = July
month-8 = August
month-9 = September
month-10 = October
month-11 = November
month-12 = December

## What became of a job: what was made or moved, and what was not

# Nothing where no data was copied, as by a rename.
summary-size = {" "}({ $size })
# Where not even a millisecond was counted.
summary-no-time = less than a second

summary-copied = { $count ->
    [0] Nothing was copied.
    [one] Copied { $count } item{ $size } in { $time }.
   *[other] Copied { $count } items{ $size } in { $time }.
}
summary-moved = { $count ->
    [0] Nothing was moved.
    [one] Moved { $count } item{ $size } in { $time }.
   *[other] Moved { $count } items{ $size } in { $time }.
}
summary-cancelled-copy = { $count ->
    [0] Cancelled after { $time }: nothing had been copied.
    [one] Cancelled after { $time }: { $count } item{ $size } had been copied.
   *[other] Cancelled after { $time }: { $count } items{ $size } had been copied.
}
summary-cancelled-move = { $count ->
    [0] Cancelled after { $time }: nothing had been moved.
    [one] Cancelled after { $time }: { $count } item{ $size } had been moved.
   *[other] Cancelled after { $time }: { $count } items{ $size } had been moved.
}
summary-stopped-copy = { $count ->
    [0] Stopped after { $time }: nothing had been copied.
    [one] Stopped after { $time }: { $count } item{ $size } had been copied.
   *[other] Stopped after { $time }: { $count } items{ $size } had been copied.
}
summary-stopped-move = { $count ->
    [0] Stopped after { $time }: nothing had been moved.
    [one] Stopped after { $time }: { $count } item{ $size } had been moved.
   *[other] Stopped after { $time }: { $count } items{ $size } had been moved.
}
summary-refused-copy = Nothing was copied.
summary-refused-move = Nothing was moved.
summary-merged = { $count ->
    [one] { $count } folder was there already
   *[other] { $count } folders were there already
}
summary-renamed = { $count } under another name
summary-set-aside = { $count ->
    [one] { $count } that was there set aside
   *[other] { $count } that were there set aside
}
summary-skipped = { $count } skipped
summary-unanswered = { $count } left undecided
summary-failed = { $count } failed
summary-changed = { $count ->
    [one] { $count } changed while it was copied
   *[other] { $count } changed while they were copied
}
summary-verified = { $count } verified
