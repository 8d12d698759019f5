package io.belfry.server.command;

import io.belfry.server.control.ControlTarget;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the signals of the server process. SIGTERM and SIGINT stop the server in order; a second one ends the process
 * at once. SIGHUP reloads the configuration. A shutdown hook is no alternative: it cannot set the exit code, and it
 * does not receive SIGHUP.
 */
final class Signals {
    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);
    private static final int EXIT_CODE_ON_SECOND_SIGNAL = 130;

    private final ControlTarget target;
    private boolean stopping;

    private Signals(ControlTarget target) {
        this.target = target;
    }

    static void install(ControlTarget target) {
        Signals signals = new Signals(target);
        handle("TERM", signals::stop);
        handle("INT", signals::stop);
        handle("HUP", signals::reload);
    }

    /**
     * Calls {@code Signal.handle(new Signal(name), signal -> action.run())} by reflection. The JDK offers only
     * sun.misc.Signal, and javac reports a warning for it that cannot be suppressed. A signal keeps its default handler
     * if the system does not have it or the JVM reserves it.
     */
    private static void handle(String name, Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            MethodHandle run = MethodHandles.lookup()
                    .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
                    .bindTo(action);
            Object handling =
                    MethodHandleProxies.asInterfaceInstance(handler, MethodHandles.dropArguments(run, 0, signal));
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), handling);
        } catch (InvocationTargetException e) {
            LOG.debug("signal {} cannot be handled", name, e.getCause());
        } catch (ReflectiveOperationException e) {
            LOG.warn("this JVM cannot handle signals; use bin/belfry stop and bin/belfry reload instead", e);
        }
    }

    private synchronized void stop() {
        if (stopping) {
            Runtime.getRuntime().halt(EXIT_CODE_ON_SECOND_SIGNAL);
        }
        stopping = true;
        Thread.ofPlatform().name("belfry-stop").start(target::stop);
    }

    private void reload() {
        try {
            target.reload();
        } catch (RuntimeException e) {
            LOG.error("reload failed, the configuration is unchanged: {}", e.getMessage());
        }
    }
}
