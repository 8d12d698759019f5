package io.belfry.attack.attacks;

import java.util.List;

/** All attacks, in the order in which they are run. Immutable. */
public final class Attacks {
    private Attacks() {}

    public static List<Attack> all() {
        return List.of(
                Stalling.header(),
                Stalling.body(),
                Stalling.handshakes(),
                new TlsHellos(),
                new Resets(),
                new IdleFlood(),
                new HugeHeads(),
                new Smuggling(),
                Unread.pipelining(),
                new CrossSite(),
                BrokenFrames.unmasked(),
                BrokenFrames.longLengths(),
                new TinyFragments(),
                Unread.pings(),
                Deflating.bomb(),
                Deflating.ratio(),
                new JsonBombs(),
                new Injection(),
                new TokenGuessing(),
                SubjectFlood.plain(),
                SubjectFlood.wildcards(),
                new PublishFlood(),
                new SlowReaders(),
                new HistoryFlood());
    }
}
