package io.belfry.attack.attacks;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Commands that are expensive to parse or invalid. Each must be refused with an error or the end of the session. Pure. */
final class JsonBombs {
    private static final String ACCEPTED = "\"id\":4711";
    private static final int DEEP = 20_000;
    private static final int LONG = 40_000;
    private static final double PER_SECOND = 50;

    private JsonBombs() {}

    private static Map<String, String> bombs() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("deeply nested arrays", ping("\"x\":" + "[".repeat(DEEP) + "]".repeat(DEEP)));
        all.put("deeply nested objects", ping("\"x\":" + "{\"a\":".repeat(DEEP / 2) + "1" + "}".repeat(DEEP / 2)));
        all.put("arrays that are not closed", "{\"op\":\"ping\",\"id\":4711,\"x\":" + "[".repeat(DEEP));
        all.put("a number of many digits", ping("\"x\":" + "9".repeat(LONG)));
        all.put("a fraction of many digits", ping("\"x\":0." + "9".repeat(LONG)));
        all.put("an exponent of many digits", ping("\"x\":1e" + "9".repeat(LONG)));
        all.put("a name of many characters", ping("\"" + "n".repeat(LONG) + "\":1"));
        all.put("a duplicate name", ping("\"id\":4712"));
        all.put("an unknown duplicate name", ping("\"x\":1,\"x\":2"));
        all.put("two objects", ping("\"x\":1") + ping("\"x\":1"));
        all.put("NaN", ping("\"x\":NaN"));
        all.put("half a surrogate pair", ping("\"x\":\"\\uD800\"") + "x");
        all.put("a comment", "{/* */\"op\":\"ping\",\"id\":4711}");
        all.put("single quotes", "{'op':'ping','id':4711}");
        all.put("a control character", "{\"op\":\"ping\",\"id\":4711,\"x\":\"\u0001\"}");
        all.put("a byte order mark", "\uFEFF{\"op\":\"ping\",\"id\":4711}");
        return all;
    }

    private static String ping(String member) {
        return "{\"op\":\"ping\",\"id\":4711," + member + "}";
    }

    static void run(AttackContext context) throws IOException {
        AttackRate rate = context.rate(PER_SECOND);
        Map<String, String> bombs = bombs();
        for (Map.Entry<String, String> bomb : bombs.entrySet()) {
            rate.next();
            try (AttackConnection session = context.session()) {
                session.sendCommand(bomb.getValue());
                boolean answered = session.await(context.timeout(), text -> text.contains("\"op\":"));
                if (session.text().contains("\"op\":\"pong\"") && session.text().contains(ACCEPTED)) {
                    context.fault(bomb.getKey() + ": accepted as a command");
                } else if (!answered) {
                    context.fault(bomb.getKey() + ": no response");
                }
            }
        }
        context.note(bombs.size() + " commands refused");
    }
}
