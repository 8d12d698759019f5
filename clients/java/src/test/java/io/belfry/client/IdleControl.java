package io.belfry.client;

/** The control of a subscription without a client: does nothing. */
final class IdleControl implements Subscription.Control {
    @Override
    public void unsubscribe(Subscription subscription) {}

    @Override
    public void pause(Subscription subscription) {}

    @Override
    public void resume(Subscription subscription) {}
}
