package io.belfry.server;

import io.belfry.server.monitor.FeedOutlet;
import io.belfry.server.workgroup.ServerSubjects;
import java.util.function.ObjLongConsumer;

/** The server's subjects for the monitor, which does not depend on lanes. Any thread. */
record FeedLanes(ServerSubjects subjects) implements FeedOutlet {
    @Override
    public boolean isFollowed(String subject) {
        return subjects.isFollowed(subject);
    }

    @Override
    public boolean isFollowedHere(String subject) {
        return subjects.isFollowedHere(subject);
    }

    @Override
    public void publish(String subject, byte[] json) {
        subjects.publish(subject, json);
    }

    @Override
    public void follow(String subject, ObjLongConsumer<byte[]> receiver) {
        subjects.follow(subject, receiver);
    }

    @Override
    public void unfollow(String subject) {
        subjects.unfollow(subject);
    }
}
