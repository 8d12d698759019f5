package io.belfry.attack.attacks;

import io.belfry.attack.server.Facts;
import io.belfry.attack.wire.Answers;
import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Requests;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;

/** Tokens tried one after the other, in headers and in commands: none may open anything. Immutable. */
record TokenGuessing() implements Attack {
    private static final double PER_SECOND = 200;
    private static final int LETTERS = 26;

    @Override
    public String name() {
        return "token-guessing";
    }

    @Override
    public String sentence() {
        return "hundreds of wrong tokens a second, in headers and in commands";
    }

    @Override
    public Optional<String> off(Facts facts) {
        return facts.token() == null ? Optional.of("off in this configuration: no token is needed") : Optional.empty();
    }

    @Override
    public void run(Field field) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        Pace pace = field.pace(PER_SECOND);
        while (pace.next()) {
            String guess = isOurs(field.facts())
                    ? guess(random, String.valueOf(field.facts().token()))
                    : nothingLikeIt(random);
            if (pace.count() % 2 == 0) {
                inHeader(field, guess);
            } else {
                inCommand(field, guess);
            }
        }
        field.did(pace.count() + " tokens tried");
    }

    /** Which tokens are good is known of the server's own kinds; somebody's code may take any that begins well. */
    private static boolean isOurs(Facts facts) {
        return !facts.entitlement().toLowerCase(Locale.ROOT).equals("custom");
    }

    /** The right one with one letter changed, another length, or nothing like it. */
    private static String guess(SplittableRandom random, String right) {
        return switch (random.nextInt(3)) {
            case 0 -> changed(right, random.nextInt(right.length() - 1), random.nextInt(LETTERS));
            case 1 -> right.substring(0, random.nextInt(1, right.length()));
            default -> nothingLikeIt(random);
        };
    }

    /** Never the last letter: of what stands for bits it may have some to spare. */
    private static String changed(String right, int at, int letter) {
        char other = (char) ('A' + letter);
        char put = right.charAt(at) == other ? '_' : other;
        return right.substring(0, at) + put + right.substring(at + 1);
    }

    private static String nothingLikeIt(SplittableRandom random) {
        return Long.toString(random.nextLong(Long.MAX_VALUE), Character.MAX_RADIX);
    }

    private static void inHeader(Field field, String guess) throws IOException {
        Requests requests = new Requests(field.door().host(), guess);
        try (Wire wire = field.door().open()) {
            wire.send(requests.publish("/attack/token", "x"));
            wire.await(field.patience(), text -> text.contains("\r\n\r\n"));
            Answers answers = Answers.of(wire.text());
            if (answers.status() < 400) {
                field.gaveWay("a wrong token may publish: " + answers);
            }
        }
    }

    private static void inCommand(Field field, String guess) throws IOException {
        try (Wire wire = field.door().open()) {
            wire.send(new Requests(field.door().host(), null).upgrade());
            wire.await(field.patience(), text -> text.contains("\r\n\r\n"));
            wire.send(Frames.text("{\"op\":\"connect\",\"id\":1,\"token\":\"" + guess + "\"}"));
            wire.send(Frames.text("{\"op\":\"publish\",\"id\":2,\"subject\":\"/attack/token\",\"data\":\"x\"}"));
            wire.await(field.patience(), text -> text.contains("\"op\":"));
            boolean connected = isOurs(field.facts()) && wire.text().contains("\"op\":\"connected\"");
            if (connected || wire.text().contains("\"op\":\"published\"")) {
                field.gaveWay("a wrong token was accepted");
            }
        }
    }
}
