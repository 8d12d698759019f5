package io.belfry.attack.attacks;

import io.belfry.attack.wire.Answers;
import io.belfry.attack.wire.Requests;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Request heads of a megabyte: refused before they are whole, and the connection is over. Immutable. */
record HugeHeads() implements Attack {
    private static final int BYTES = 1 << 20;

    @Override
    public String name() {
        return "huge-heads";
    }

    @Override
    public String sentence() {
        return "request heads of a megabyte, in one line and in many, which must be refused";
    }

    @Override
    public void run(Field field) throws IOException {
        int sent = 0;
        do {
            for (Map.Entry<String, String> head : heads(field.requests()).entrySet()) {
                try (Wire wire = field.door().open()) {
                    wire.send(head.getValue());
                    boolean ended = wire.awaitEnd(field.patience());
                    Answers answers = Answers.of(wire.text());
                    if (!ended || (answers.count() > 0 && answers.status() < 400)) {
                        field.gaveWay(head.getKey() + " did not end the connection: " + answers);
                    }
                }
                sent++;
            }
        } while (field.goesOn());
        field.did(sent + " heads refused");
    }

    private static Map<String, String> heads(Requests requests) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("a target of a megabyte", requests.get("/" + "a".repeat(BYTES)));
        all.put("a header of a megabyte", requests.get("/health/live", "X-A: " + "a".repeat(BYTES)));
        all.put("100,000 headers", requests.get("/health/live", "X-A: b\r\n".repeat(BYTES / 10) + "X-A: b"));
        all.put("a megabyte of empty lines", "\r\n".repeat(BYTES / 2) + requests.get("/health/live"));
        return all;
    }
}
