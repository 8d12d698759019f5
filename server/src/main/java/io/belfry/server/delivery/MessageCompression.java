package io.belfry.server.delivery;

import io.belfry.protocol.FrameDeflater;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Subjects;
import io.belfry.server.config.SubjectOptions;
import io.belfry.server.config.SubjectRules;
import io.netty.buffer.ByteBuf;

/**
 * Compresses the messages of the subjects whose options allow it. A message is compared with the patterns when it is encoded, once
 * for all its sessions, because a message of a pattern may have no subject in this lane's table. Owner: the lane's loop.
 */
public final class MessageCompression {
    private final FrameDeflater deflater;
    private final byte[] name = new byte[Subjects.MAX_BYTES];
    private SubjectRules rules;
    private boolean excludes;

    /** Creates the compression; the caller releases the deflater. */
    public MessageCompression(FrameDeflater deflater, SubjectRules rules) {
        this.deflater = deflater;
        this.rules = rules;
        excludes = excludes(rules);
    }

    /** Applies other options. */
    public void reconfigure(SubjectRules next) {
        rules = next;
        excludes = excludes(next);
    }

    private static boolean excludes(SubjectRules rules) {
        return rules.any(options -> !options.compression());
    }

    /** Compresses the frame of this message as {@link FrameDeflater#deflate} does; returns the number of bytes saved. */
    int deflate(ByteBuf out, int from, MessageView message) {
        return excludes && !options(message).compression() ? 0 : deflater.deflate(out, from);
    }

    private SubjectOptions options(MessageView message) {
        message.subject().getBytes(message.subjectOffset(), name, 0, message.subjectLength());
        return rules.of(name, message.subjectLength());
    }
}
