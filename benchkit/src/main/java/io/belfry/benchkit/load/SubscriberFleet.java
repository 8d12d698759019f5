package io.belfry.benchkit.load;

import io.belfry.client.connection.ClientLoop;
import java.util.List;

/** Clients that subscribe and measure what they get. Owner: the conducting thread. */
public final class SubscriberFleet extends Fleet {
    private final SubscriberOptions options;

    public SubscriberFleet(SubscriberOptions options, List<ClientLoop> loops) {
        this.options = options;
        int first = 0;
        for (int i = 0; i < mustBeSome(loops).size(); i++) {
            int share = share(options.clients(), loops.size(), i);
            if (share > 0) {
                join(new SubscriberLoop(this, options, loops.get(i), first, share));
            }
            first += share;
        }
    }

    @Override
    public int clients() {
        return options.clients();
    }

    /** How many messages are still missing if each subject had so many; needs verify. */
    public long missing(long[] messagesOfSubject) {
        return ask(loop -> ((SubscriberLoop) loop).missing(messagesOfSubject)).stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** How many deliveries there are to be if each subject has so many messages. */
    public long expected(long[] messagesOfSubject) {
        return ask(loop -> ((SubscriberLoop) loop).expected(messagesOfSubject)).stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
