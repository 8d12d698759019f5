package io.belfry.server.command;

import io.belfry.settings.SettingsException;
import java.io.IOException;
import java.io.PrintWriter;

/** The text and the exit code of a command that threw an exception. */
final class FailedCommand {
    private FailedCommand() {}

    /** Prints one sentence for a failure that the user can fix. A defect of the program keeps its stack trace. */
    static int report(Exception failure, PrintWriter err) throws Exception {
        return switch (failure) {
            case SettingsException wrong -> {
                wrong.problems().forEach(err::println);
                yield Exit.USAGE;
            }
            case IllegalArgumentException wrong -> {
                err.println("belfry: " + wrong.getMessage());
                yield Exit.USAGE;
            }
            case IOException impossible -> {
                err.println("belfry: " + explain(impossible));
                yield Exit.FAILED;
            }
            default -> throw failure;
        };
    }

    /** Returns the exception's message, after its class name if the message is absent or only a file name. */
    static String explain(Throwable failure) {
        String message = failure.getMessage();
        return message != null && message.indexOf(' ') > 0
                ? message
                : failure.getClass().getSimpleName() + ": " + message;
    }
}
