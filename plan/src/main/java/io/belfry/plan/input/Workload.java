package io.belfry.plan.input;

/**
 * What the clients of all nodes are and get. Immutable.
 *
 * @param perSecond messages that each client gets in a second
 * @param audience sessions that each message goes to
 * @param subjects subscriptions of each client
 * @param subjectBytes the length of a subject
 * @param encrypted the share of the sessions under TLS
 * @param streams the share of the sessions over HTTP, the others are WebSockets
 * @param json the share of the WebSockets that speak JSON
 * @param comings how often in a second each client comes anew in ordinary times
 * @param slow the share of the sessions that have unread data
 * @param pingSeconds the server's {@code PingInterval}
 */
public record Workload(
        long clients,
        double perSecond,
        long bytes,
        double audience,
        double subjects,
        int subjectBytes,
        double encrypted,
        double streams,
        double json,
        double comings,
        double slow,
        double pingSeconds) {
    private static final int SUBJECT_BYTES_MAX = 255;

    public Workload {
        if (audience < 1 || audience > clients) {
            throw Nonsense.badValue("--fan-out", "is from 1 to the number of clients", Double.toString(audience));
        }
        if (subjectBytes < 2 || subjectBytes > SUBJECT_BYTES_MAX) {
            throw Nonsense.badValue("--subject-bytes", "is from 2 to 255", Integer.toString(subjectBytes));
        }
        if (pingSeconds < 1) {
            throw Nonsense.badValue("--ping", "is 1s or more", pingSeconds + "s");
        }
    }

    /** Messages published in a second, wherever. */
    public double published() {
        return clients * perSecond / audience;
    }

    /** The same for one of several parts that share nothing; what goes to more than a part has is published to each. */
    public Workload part(long parts) {
        long each = Math.ceilDiv(clients, parts);
        return of(each, Math.min(audience, (double) each));
    }

    private Workload of(long count, double heard) {
        return new Workload(
                count,
                perSecond,
                bytes,
                heard,
                subjects,
                subjectBytes,
                encrypted,
                streams,
                json,
                comings,
                slow,
                pingSeconds);
    }
}
