package io.belfry.attack.attacks;

import java.io.IOException;
import java.util.SplittableRandom;

/** Wrong tokens, one after the other, in headers and in commands; none may be accepted. Pure. */
final class TokenGuessing {
    private static final double PER_SECOND = 200;
    private static final int LETTERS = 26;

    private TokenGuessing() {}

    static void run(AttackContext context) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        String right = String.valueOf(context.settings().token());
        // Code of the operator may accept any token that begins like the right one, so guesses must not resemble it.
        boolean custom = context.settings().entitlement().equals("custom");
        AttackRate rate = context.rate(PER_SECOND);
        while (rate.next()) {
            String guess = custom ? unrelated(random) : guess(random, right);
            if (rate.count() % 2 == 0) {
                inHeader(context, guess);
            } else {
                inCommand(context, guess, !custom);
            }
        }
        context.note(rate.count() + " tokens tried");
    }

    /** Returns the right token with one letter changed, cut short, or an unrelated one. */
    private static String guess(SplittableRandom random, String right) {
        return switch (random.nextInt(3)) {
            case 0 -> changed(right, random.nextInt(right.length() - 1), random.nextInt(LETTERS));
            case 1 -> right.substring(0, random.nextInt(1, right.length()));
            default -> unrelated(random);
        };
    }

    /** Never changes the last letter: in base64 some of its bits may be unused. */
    private static String changed(String right, int at, int letter) {
        char other = (char) ('A' + letter);
        char put = right.charAt(at) == other ? '_' : other;
        return right.substring(0, at) + put + right.substring(at + 1);
    }

    private static String unrelated(SplittableRandom random) {
        return Long.toString(random.nextLong(Long.MAX_VALUE), Character.MAX_RADIX);
    }

    private static void inHeader(AttackContext context, String guess) throws IOException {
        HttpRequests requests = new HttpRequests(context.target().host(), guess);
        ParsedResponses responses = context.request(requests.publish("/attack/token", "x"));
        if (responses.status() < 400) {
            context.fault("a wrong token may publish: " + responses);
        }
    }

    private static void inCommand(AttackContext context, String guess, boolean connectMustFail) throws IOException {
        try (AttackConnection session = context.target().open()) {
            session.send(new HttpRequests(context.target().host(), null).upgrade());
            session.awaitHead(context.timeout());
            session.sendCommand("{\"op\":\"connect\",\"id\":1,\"token\":\"" + guess + "\"}");
            session.sendCommand("{\"op\":\"publish\",\"id\":2,\"subject\":\"/attack/token\",\"data\":\"x\"}");
            session.await(context.timeout(), text -> text.contains("\"op\":"));
            boolean connected = connectMustFail && session.text().contains("\"op\":\"connected\"");
            if (connected || session.text().contains("\"op\":\"published\"")) {
                context.fault("a wrong token was accepted");
            }
        }
    }
}
