package io.belfry.testsupport;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import io.netty.util.internal.logging.Slf4JLoggerFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes Netty's loggers record in {@link RecordedFaults} the exceptions that an event loop or a future caught: Netty only logs
 * them, and many modules have no log. Any thread may ask for a logger.
 */
final class NettyWarnings extends InternalLoggerFactory {
    /** Beginnings of the messages of Netty 4.2 for exceptions of tasks, of listeners of futures, and of the loop itself. */
    private static final List<String> FAULTS =
            List.of("A task raised an exception", "An exception was thrown by", "Unexpected exception ");

    private final InternalLoggerFactory present;

    private NettyWarnings(InternalLoggerFactory present) {
        this.present = present;
    }

    /** Replaces Netty's factory. Only loggers that Netty creates afterwards record exceptions. */
    static void install() {
        InternalLoggerFactory present = InternalLoggerFactory.getDefaultFactory();
        if (!(present instanceof NettyWarnings)) {
            InternalLoggerFactory.setDefaultFactory(new NettyWarnings(present));
        }
    }

    @Override
    protected InternalLogger newInstance(String name) {
        InternalLogger logger = present instanceof JdkLoggerFactory jdk
                ? jdk.newInstance(name)
                : ((Slf4JLoggerFactory) present).newInstance(name);
        return (InternalLogger) Proxy.newProxyInstance(
                InternalLogger.class.getClassLoader(),
                new Class<?>[] {InternalLogger.class},
                (self, method, given) -> call(logger, method, given));
    }

    private static @Nullable Object call(InternalLogger logger, Method method, Object @Nullable [] given)
            throws Throwable {
        if (given != null && method.getName().equals("warn")) {
            recordFault(given);
        }
        try {
            return method.invoke(logger, given);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static void recordFault(Object[] given) {
        String message = String.valueOf(given[0]);
        if (given[given.length - 1] instanceof Throwable cause
                && FAULTS.stream().anyMatch(message::startsWith)) {
            RecordedFaults.exception(message, cause);
        }
    }
}
