package io.belfry.attack.attacks;

import io.belfry.attack.wire.Frames;
import java.io.IOException;

/** Sessions that publish as much as they are let, without listening. Immutable. */
record PublishFlood() implements Attack {
    private static final int SESSIONS = 4;
    private static final int AT_ONCE = 50;
    private static final double BATCHES_PER_SECOND = 200;

    @Override
    public String name() {
        return "publish-flood";
    }

    @Override
    public String sentence() {
        return "sessions that publish 10,000 messages a second, to what nobody and to what one of them reads";
    }

    @Override
    public void run(Field field) throws IOException {
        byte[][] batches = new byte[SESSIONS][];
        try (Crowd crowd = new Crowd()) {
            for (int i = 0; i < SESSIONS; i++) {
                crowd.add(field::session);
                batches[i] = Frames.repeated(
                        Frames.text("{\"op\":\"publish\",\"subject\":\"/attack/publish-flood/" + i + "\",\"data\":\""
                                + "x".repeat(100) + "\"}"),
                        AT_ONCE);
            }
            if (crowd.refused() > 0) {
                throw new IOException("no WebSocket session for " + crowd.refused() + " of " + SESSIONS);
            }
            crowd.get(0).send(Frames.text("{\"op\":\"subscribe\",\"id\":1,\"subject\":\"/attack/publish-flood/*\"}"));
            Pace pace = field.pace(BATCHES_PER_SECOND);
            long taken = 0;
            while (pace.next()) {
                int turn = pace.count() % SESSIONS;
                crowd.get(0).poll().forget();
                taken += crowd.get(turn).offer(batches[turn]) ? AT_ONCE : 0;
            }
            field.did(taken + " messages handed over, " + (SESSIONS - crowd.open()) + " sessions ended");
        }
    }
}
