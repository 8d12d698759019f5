package io.belfry.attack.attacks;

import io.belfry.attack.wire.Wire;
import java.io.IOException;

/** Sessions and kept connections that are opened and then not used. Immutable. */
record IdleFlood() implements Attack {
    /** A TLS engine of the attacker's own costs more than the server's. */
    private static final int ENCRYPTED = 300;

    private static final int PLAIN = 1000;
    private static final double PER_SECOND = 1000;

    @Override
    public String name() {
        return "idle-flood";
    }

    @Override
    public String sentence() {
        return "hundreds of sessions and kept connections that do nothing";
    }

    @Override
    public void run(Field field) throws IOException {
        int wanted = field.facts().encrypted() ? ENCRYPTED : PLAIN;
        try (Crowd crowd = new Crowd()) {
            Pace pace = field.pace(PER_SECOND);
            while (crowd.size() + crowd.refused() < wanted && pace.next()) {
                crowd.add(pace.count() % 4 == 0 ? () -> kept(field) : field::session);
            }
            while (field.goesOn()) {
                crowd.open();
                Field.rest(java.time.Duration.ofMillis(50));
            }
            field.did(crowd.size() + " idle connections, " + crowd.refused() + " refused, "
                    + (crowd.size() - crowd.open()) + " ended by the server");
        }
    }

    private static Wire kept(Field field) throws IOException {
        Wire wire = field.door().open();
        wire.send(field.requests().get("/health/live"));
        wire.await(field.patience(), text -> text.contains("\r\n\r\n"));
        return wire;
    }
}
