"""A link that carries one packet after the other, delays some and doubles some."""

import heapq
import random


class Link:
    """It keeps the order of packets of one slot, as SwitchML requires of a network: the switch would take a copy that comes behind the
    slot's next piece for the piece after that. Packets without a slot are in no order."""

    def __init__(self, seed, gap, late, doubled, longest):
        """The time between two packets; the shares of packets that are late and doubled; the longest delay. Times are in seconds."""
        self.random = random.Random(seed)
        self.gap, self.late, self.doubled, self.longest = gap, late, doubled, longest
        self._free = 0
        self.have_been_late = self.have_been_doubled = 0
        self._waiting, self._last, self._number = [], {}, 0

    def send(self, slot, frame, now):
        copies = 1
        if self.random.random() < self.doubled:
            copies = 2
            self.have_been_doubled += 1
        for _ in range(copies):
            at = max(now, self._free)
            self._free = at + self.gap
            if self.random.random() < self.late:
                at += self.random.random() * self.longest
                self.have_been_late += 1
            if slot is not None:
                at = self._last[slot] = max(at, self._last.get(slot, at))
            self._number += 1
            heapq.heappush(self._waiting, (at, self._number, frame))

    def deadline(self):
        """When the next packet arrives; nothing if none is on its way."""
        return self._waiting[0][0] if self._waiting else None

    def arrivals(self, now):
        """The packets that have arrived by now, in order."""
        while self._waiting and self._waiting[0][0] <= now:
            yield heapq.heappop(self._waiting)[2]
