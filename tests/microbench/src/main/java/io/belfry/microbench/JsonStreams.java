package io.belfry.microbench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;

/** Streams of JSON messages of one subject, made from a seed: an order book, a scoreboard and a chat. Pure. */
final class JsonStreams {
    private static final int LEVELS = 20;
    private static final int MATCHES = 12;
    private static final String[] TEAMS = {
        "Borussia Dortmund", "FC Barcelona", "Manchester City", "Juventus", "Benfica", "Celtic", "Ajax", "Porto",
        "Beşiktaş", "Malmö FF", "Slavia Praha", "FC København", "Sporting", "Lille", "Napoli", "Atlético Madrid",
        "Red Star", "Rangers", "Galatasaray", "PSV", "Shakhtar", "Salzburg", "Brugge", "Feyenoord"
    };
    private static final String[] WORDS =
            ("the of to and a in is it you that he was for on are with as I his they be at one have this from or had by hot but"
                            + " some what there we can out other were all your when up use word how said an each she which do their time"
                            + " if will way about many then them would write like so these her long make thing see him two has look more"
                            + " day could go come did my sound no most number who over know water than call first people may down side"
                            + " been now find any new work part take get place made live where after back little only round man year"
                            + " came show every good me give our under name very through just form much great think say help low line"
                            + " before turn cause same mean differ move right boy old too does tell sentence set three want air well"
                            + " also play small end put home read hand port large spell add even land here must big high such follow"
                            + " act why ask men change went light kind off need house picture try us again animal point mother world")
                    .split(" ");

    private JsonStreams() {}

    /** Returns the messages of a stream: {@code book}, {@code scores} or {@code chat}. */
    static List<String> of(String name, int count, long seed) {
        Random random = new Random(seed);
        return switch (name) {
            case "book" -> book(count, random);
            case "scores" -> scores(count, random);
            case "chat" -> chat(count, random);
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Each message is the whole book; one to four levels change, and now and then all move by a tick. */
    private static List<String> book(int count, Random random) {
        int[][] quantities = new int[2][LEVELS];
        for (int[] side : quantities) {
            Arrays.setAll(side, i -> 100 * (1 + random.nextInt(90)));
        }
        int middle = 101_250;
        List<String> messages = new ArrayList<>();
        for (int n = 1; n <= count; n++) {
            if (random.nextInt(10) == 0) {
                middle += random.nextBoolean() ? 5 : -5;
            }
            for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                quantities[random.nextInt(2)][(int) Math.min(LEVELS - 1, Math.abs(random.nextGaussian() * 6))] =
                        100 * (1 + random.nextInt(90));
            }
            StringBuilder json = new StringBuilder("{\"symbol\":\"ACME\",\"venue\":\"XNYS\",\"updated\":");
            json.append(1_700_000_000_000L + n * 97L).append(",\"bids\":[");
            side(json, middle - 5, -5, quantities[0]);
            json.append("],\"asks\":[");
            side(json, middle + 5, 5, quantities[1]);
            messages.add(json.append("],\"number\":").append(n).append('}').toString());
        }
        return messages;
    }

    private static void side(StringBuilder json, int first, int step, int[] quantities) {
        for (int i = 0; i < LEVELS; i++) {
            json.append(i == 0 ? "" : ",").append("{\"price\":");
            json.append(String.format(Locale.ROOT, "%.3f", (first + i * step) / 1000.0));
            json.append(",\"quantity\":").append(quantities[i]).append('}');
        }
    }

    /** Each message is the whole scoreboard; figures of one match change, and the minute of all now and then. */
    private static List<String> scores(int count, Random random) {
        int[][] figures = new int[MATCHES][8];
        int minute = 1;
        List<String> messages = new ArrayList<>();
        for (int n = 1; n <= count; n++) {
            minute += n % 10 == 0 ? 1 : 0;
            int[] match = figures[random.nextInt(MATCHES)];
            match[2 + random.nextInt(6)]++;
            if (random.nextInt(25) == 0) {
                match[random.nextInt(2)]++;
            }
            StringBuilder json = new StringBuilder("{\"competition\":\"Cup\",\"day\":\"2026-11-27\",\"matches\":[");
            for (int i = 0; i < MATCHES; i++) {
                int[] f = figures[i];
                json.append(i == 0 ? "" : ",").append("{\"id\":").append(7001 + i);
                json.append(",\"home\":\"")
                        .append(TEAMS[2 * i])
                        .append("\",\"away\":\"")
                        .append(TEAMS[2 * i + 1]);
                json.append("\",\"minute\":").append(Math.min(90, minute)).append(",\"score\":[");
                json.append(f[0])
                        .append(',')
                        .append(f[1])
                        .append("],\"shots\":[")
                        .append(f[2])
                        .append(',')
                        .append(f[3]);
                json.append("],\"corners\":[")
                        .append(f[4])
                        .append(',')
                        .append(f[5])
                        .append("],\"fouls\":[");
                json.append(f[6]).append(',').append(f[7]).append("],\"status\":\"playing\"}");
            }
            messages.add(json.append("],\"updated\":")
                    .append(1_700_000_000_000L + n * 613L)
                    .append('}')
                    .toString());
        }
        return messages;
    }

    /** Each message is a new text of one of eight people. */
    private static List<String> chat(int count, Random random) {
        List<String> messages = new ArrayList<>();
        for (int n = 1; n <= count; n++) {
            int person = random.nextInt(8);
            StringBuilder text = new StringBuilder();
            for (int words = 3 + random.nextInt(25); words > 0; words--) {
                text.append(WORDS[random.nextInt(WORDS.length)])
                        .append(words == 1 ? random.nextBoolean() ? "." : " 😀" : " ");
            }
            messages.add("{\"id\":\"" + new UUID(random.nextLong(), random.nextLong())
                    + "\",\"room\":\"support\",\"from\":{\"id\":"
                    + (40 + person) + ",\"name\":\"Person " + (char) ('A' + person) + "\",\"avatar\":\"/avatars/"
                    + (40 + person)
                    + ".png\"},\"sent\":" + (1_700_000_000_000L + n * 4001L) + ",\"text\":\"" + text + "\"}");
        }
        return messages;
    }
}
