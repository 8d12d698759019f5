package io.belfry.clients;

import java.util.List;
import java.util.stream.Stream;

/** All behaviours of the suite, in the order of the matrix. Pure. */
final class Behaviours {
    private Behaviours() {}

    static List<Behaviour> all() {
        return Stream.of(
                        OrderChecks.all(),
                        CutChecks.all(),
                        KeptSessionChecks.all(),
                        NamedClientChecks.all(),
                        ServerApiChecks.all(),
                        PublishChecks.all(),
                        HeaderChecks.all(),
                        DeltaChecks.all(),
                        ReplyChecks.all(),
                        EchoChecks.all(),
                        OptionChecks.all(),
                        BackOffChecks.all(),
                        TokenChecks.all(),
                        PauseChecks.all(),
                        SleepChecks.all(),
                        FallbackChecks.all(),
                        PatternChecks.all(),
                        PatternPositionChecks.all(),
                        CloseChecks.all(),
                        VectorChecks.all())
                .flatMap(List::stream)
                .toList();
    }
}
