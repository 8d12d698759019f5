package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Executes what programs ask of a subscription. Any thread.
 *
 * @param subscriptions the subscriptions of the client by subject
 * @param closed whether the client was closed
 */
record SubscriptionControl(
        Map<String, Subscription> subscriptions, BooleanSupplier closed, ClientLoop loop, Engine engine)
        implements Subscription.Control {
    @Override
    public void unsubscribe(Subscription subscription) {
        if (subscriptions.remove(subscription.subject(), subscription) && !closed.getAsBoolean()) {
            loop.tryRun(() -> engine.unsubscribe(subscription));
        }
    }

    @Override
    public void pause(Subscription subscription) {
        if (loop.inLoop()) {
            engine.suspend(subscription);
        } else {
            loop.tryRun(() -> engine.suspend(subscription));
        }
    }

    @Override
    public void resume(Subscription subscription) {
        loop.tryRun(() -> engine.resume(subscription));
    }
}
