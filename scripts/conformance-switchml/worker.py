"""A worker of SwitchML: it sends the pieces of its vector through slots, and collects the sums. It has no clock and no socket."""

import heapq

from frames import contribution, result

MOST_DOUBLINGS = 4


class Worker:
    """Slot after slot holds one piece; a piece follows another in its slot as soon as that one's sum is there, in the other set."""

    def __init__(self, number, pieces, exponents, slots, timeout):
        """The pieces are bytes, the exponents pairs; after the timeout (in seconds) a piece without a sum is sent again, and after twice as
        long once more."""
        self.number, self.pieces, self.exponents = number, pieces, exponents
        self.slots, self.timeout = slots, timeout
        self.count = len(pieces[0]) // 4
        self.sums, self.answered = [None] * len(pieces), [None] * len(pieces)
        self.missing, self.sent_again, self.superfluous = len(pieces), 0, 0
        self._deadlines, self._sent = [], [0] * len(pieces)

    def start(self, now):
        """The first packets."""
        return [self._send(piece, now) for piece in range(min(self.slots, len(self.pieces)))]

    def receive(self, frame, now):
        """The packets to send because of one that came."""
        piece, slot, own_set, exponents, values = result(self.number, self.count, frame)
        assert (slot, own_set) == self.place(piece), f"piece {piece} came from slot {slot} of set {own_set}"
        if self.sums[piece] is not None:
            assert self.sums[piece] == values, f"piece {piece} has come with two sums"
            self.superfluous += 1
            return []
        self.sums[piece], self.answered[piece] = values, exponents
        self.missing -= 1
        following = piece + self.slots
        return [self._send(following, now)] if following < len(self.pieces) else []

    def deadline(self):
        """When a piece has to be sent again unless its sum comes; nothing if no piece is on its way."""
        while self._deadlines and self.sums[self._deadlines[0][1]] is not None:
            heapq.heappop(self._deadlines)
        return self._deadlines[0][0] if self._deadlines else None

    def wake(self, now):
        """The packets to send because time has passed."""
        again = []
        while (due := self.deadline()) is not None and due <= now:
            _, piece = heapq.heappop(self._deadlines)
            self.sent_again += 1
            again.append(self._send(piece, now))
        return again

    def place(self, piece):
        return piece % self.slots, piece // self.slots % 2

    def _send(self, piece, now):
        """The packet of a piece, with its slot, whose order links have to keep."""
        heapq.heappush(self._deadlines, (now + self.timeout * 2 ** min(self._sent[piece], MOST_DOUBLINGS), piece))
        self._sent[piece] += 1
        slot, own_set = self.place(piece)
        return slot, contribution(self.number, piece, slot, own_set, self.exponents[piece], self.pieces[piece])
