package io.belfry.attack.attacks;

import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Commands that are small to send and large to read. Each is refused: with an error, or by the end of the session. Immutable. */
record JsonBombs() implements Attack {
    private static final String TAKEN = "\"id\":4711";
    private static final int DEEP = 20_000;
    private static final int LONG = 40_000;
    private static final double PER_SECOND = 50;

    @Override
    public String name() {
        return "json-bombs";
    }

    @Override
    public String sentence() {
        return "commands nested 20,000 deep, with endless numbers and names, names twice, and more after the end";
    }

    private static Map<String, String> bombs() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("arrays nested deep", ping("\"x\":" + "[".repeat(DEEP) + "]".repeat(DEEP)));
        all.put("objects nested deep", ping("\"x\":" + "{\"a\":".repeat(DEEP / 2) + "1" + "}".repeat(DEEP / 2)));
        all.put("arrays that do not end", "{\"op\":\"ping\",\"id\":4711,\"x\":" + "[".repeat(DEEP));
        all.put("a number of many digits", ping("\"x\":" + "9".repeat(LONG)));
        all.put("a number with an endless fraction", ping("\"x\":0." + "9".repeat(LONG)));
        all.put("an exponent of many digits", ping("\"x\":1e" + "9".repeat(LONG)));
        all.put("a name of many characters", ping("\"" + "n".repeat(LONG) + "\":1"));
        all.put("a name twice", ping("\"id\":4712"));
        all.put("an unknown name twice", ping("\"x\":1,\"x\":2"));
        all.put("two objects", ping("\"x\":1") + ping("\"x\":1"));
        all.put("not a number", ping("\"x\":NaN"));
        all.put("half a surrogate pair as text", ping("\"x\":\"\\uD800\"") + "x");
        all.put("a comment", "{/* */\"op\":\"ping\",\"id\":4711}");
        all.put("single quotes", "{'op':'ping','id':4711}");
        all.put("a control character", "{\"op\":\"ping\",\"id\":4711,\"x\":\"\u0001\"}");
        all.put("a byte order mark", "\uFEFF{\"op\":\"ping\",\"id\":4711}");
        return all;
    }

    private static String ping(String member) {
        return "{\"op\":\"ping\",\"id\":4711," + member + "}";
    }

    @Override
    public void run(Field field) throws IOException {
        Pace pace = field.pace(PER_SECOND);
        int sent = 0;
        for (Map.Entry<String, String> bomb : bombs().entrySet()) {
            pace.next();
            try (Wire wire = field.session()) {
                wire.send(Frames.text(bomb.getValue()));
                boolean answered = wire.await(field.patience(), text -> text.contains("\"op\":"));
                if (wire.text().contains("\"op\":\"pong\"") && wire.text().contains(TAKEN)) {
                    field.gaveWay(bomb.getKey() + " was taken for a command");
                } else if (!answered) {
                    field.gaveWay(bomb.getKey() + " got no answer");
                }
            }
            sent++;
        }
        field.did(sent + " commands refused");
    }
}
