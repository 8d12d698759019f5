package io.belfry.integration;

/**
 * The content of the messages of a run: their publisher and their number within this publisher's messages on the
 * subject. Immutable.
 */
public record Numbered(int publisher, long number) {
    private static final char END = ':';
    private static final char PADDING = '~';

    /** Returns the data of a message, extended by this number of characters. */
    public String data(int padding) {
        return publisher + "" + END + number + END + String.valueOf(PADDING).repeat(padding);
    }

    public static Numbered of(String data) {
        int first = data.indexOf(END);
        int second = data.indexOf(END, first + 1);
        if (second < 0 || !isPadding(data, second + 1)) {
            throw new IllegalArgumentException("not data of this run: " + data);
        }
        return new Numbered(
                Integer.parseInt(data.substring(0, first)), Long.parseLong(data.substring(first + 1, second)));
    }

    /** A plain loop for speed, because a run checks hundreds of millions of characters. */
    private static boolean isPadding(String data, int from) {
        for (int i = from; i < data.length(); i++) {
            if (data.charAt(i) != PADDING) {
                return false;
            }
        }
        return true;
    }
}
