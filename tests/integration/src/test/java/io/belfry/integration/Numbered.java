package io.belfry.integration;

/**
 * What the messages of a run say of themselves: who published them and the how-manieth of this publisher on this subject
 * each is. Immutable.
 */
record Numbered(int publisher, long number) {
    private static final char END = ':';
    private static final char PADDING = '~';

    /** The data of a message: it is so many characters longer than it need be. */
    String data(int padding) {
        return publisher + "" + END + number + END + String.valueOf(PADDING).repeat(padding);
    }

    static Numbered of(String data) {
        int first = data.indexOf(END);
        int second = data.indexOf(END, first + 1);
        if (second < 0 || !isPadding(data, second + 1)) {
            throw new IllegalArgumentException("not data of this run: " + data);
        }
        return new Numbered(
                Integer.parseInt(data.substring(0, first)), Long.parseLong(data.substring(first + 1, second)));
    }

    /** A loop, since a run looks at hundreds of millions of characters. */
    private static boolean isPadding(String data, int from) {
        for (int i = from; i < data.length(); i++) {
            if (data.charAt(i) != PADDING) {
                return false;
            }
        }
        return true;
    }
}
