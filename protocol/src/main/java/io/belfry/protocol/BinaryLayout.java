package io.belfry.protocol;

/**
 * The numbers of {@code belfry.binary.v1}. A command and its answer share an op; numbers are big-endian.
 *
 * <pre>
 * any frame but a message             message
 * +----+-------+---------+--------+   +------+-------+-----+------+--------+---------+------+------+
 * | op | flags | id      | fields |   | head | epoch | seq | time | length | subject | back | data |
 * | 1  | 1     | 8, if   | by op  |   | 1    | index | 7   | 6    | 1      | length  | 0, 4 | rest |
 * |    |       | HAS_ID  |        |   |      | 1     |     |      |        |         | or 7 |      |
 * +----+-------+---------+--------+   +------+-------+-----+------+--------+---------+------+------+
 * </pre>
 */
final class BinaryLayout {
    static final int CONNECT = 0x01;
    static final int SUBSCRIBE = 0x02;
    static final int UNSUBSCRIBE = 0x03;
    static final int PUBLISH = 0x04;
    static final int GAP = 0x05;
    static final int PING = 0x06;
    static final int ERROR = 0x07;
    static final int RECONNECT = 0x08;
    static final int WATCH = 0x09;
    static final int UNWATCH = 0x0a;
    static final int INTEREST = 0x0b;
    static final int EPOCH = 0x0c;
    static final int TOKEN_TO_EXPIRE = 0x0d;
    static final int STALE = 0x0e;
    static final int POSITION = 0x0f;
    /** The headers of the message in the next frame. */
    static final int HEADERS = 0x10;

    /** Set in the first byte of a message; the rest of the byte is the head of the message. */
    static final int MESSAGE = 0x80;

    static final int MESSAGE_TYPE = 0x03;
    static final int MESSAGE_RETAINED = 0x04;
    /** The distance seq - prev follows the subject, in four bytes. */
    static final int MESSAGE_PREV = 0x08;
    /** With MESSAGE_PREV: the distance seq - prev is in seven bytes. */
    static final int MESSAGE_FAR_PREV = 0x10;

    /** The frame before has the headers of the message. */
    static final int MESSAGE_HEADERS = 0x20;

    /** The data is a delta; only sent for subscriptions that asked for deltas. */
    static final int MESSAGE_DELTA = 0x40;

    static final int MESSAGE_FLAGS = MESSAGE
            | MESSAGE_TYPE
            | MESSAGE_RETAINED
            | MESSAGE_PREV
            | MESSAGE_FAR_PREV
            | MESSAGE_HEADERS
            | MESSAGE_DELTA;

    /** The number of bytes of a message before its subject. */
    static final int MESSAGE_FIXED_BYTES = 16;

    static final int HAS_ID = 0x01;

    static final int CONNECT_PING = 0x02;
    static final int CONNECT_SESSION = 0x04;
    static final int CONNECT_POSITIONS = 0x08;
    static final int CONNECT_CLIENT = 0x10;

    static final int CONNECTED_KEPT = 0x02;
    static final int CONNECTED_RESUMED = 0x04;

    static final int SUBSCRIBE_FROM = 0x02;
    static final int SUBSCRIBE_HISTORY = 0x04;
    static final int SUBSCRIBE_CONFLATE = 0x08;
    /** A position of patterns follows the options; not together with SUBSCRIBE_FROM. */
    static final int SUBSCRIBE_PATTERN_FROM = 0x10;
    /** The name of a format of deltas follows. */
    static final int SUBSCRIBE_DELTA = 0x20;

    static final int SUBSCRIBE_FLAGS =
            SUBSCRIBE_FROM | SUBSCRIBE_HISTORY | SUBSCRIBE_CONFLATE | SUBSCRIBE_PATTERN_FROM | SUBSCRIBE_DELTA;

    static final int PUBLISH_RETAIN = 0x02;
    static final int PUBLISH_MSG_ID = 0x04;
    static final int PUBLISH_HEADERS = 0x08;
    static final int PUBLISH_TTL = 0x10;
    static final int PUBLISH_ORIGIN = 0x20;
    static final int PUBLISH_FLAGS = PUBLISH_RETAIN | PUBLISH_MSG_ID | PUBLISH_HEADERS | PUBLISH_TTL | PUBLISH_ORIGIN;

    static final int SUBSCRIBED_POSITION = 0x02;
    static final int SUBSCRIBED_RECOVERY_SHIFT = 2;
    static final int SUBSCRIBED_RECOVERY = 0x03 << SUBSCRIBED_RECOVERY_SHIFT;

    static final int SUBSCRIBED_CONFLATE = 0x10;
    static final int SUBSCRIBED_AT = 0x20;
    static final int SUBSCRIBED_DELTA = 0x40;
    static final int POSITION_SUBJECT = 0x02;

    static final int GAP_FROM = 0x02;
    static final int PONG_CLOCK = 0x02;
    static final int ERROR_SUBJECT = 0x02;
    static final int ERROR_AFTER = 0x04;
    static final int SUBSCRIBERS = 0x02;
    static final int STALE_NOW = 0x02;

    /** In unsubscribed and unwatched: the code for which the server ended the subscription follows. */
    static final int ENDED_REASON = 0x02;

    static final int U56_BYTES = 7;
    static final int U48_BYTES = 6;
    static final long U32_MAX = 0xffff_ffffL;

    private BinaryLayout() {}
}
