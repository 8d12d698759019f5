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
 * What the signals of a process do to its server: SIGTERM and SIGINT stop it in order, and at once when they come again;
 * SIGHUP reloads the configuration. Not a shutdown hook, with which the process would end as killed, and which knows no
 * SIGHUP.
 */
final class Signals {
    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);
    private static final int EXIT_CODE_OF_IMPATIENCE = 130;

    private final ControlTarget target;
    private boolean stopping;

    private Signals(ControlTarget target) {
        this.target = target;
    }

    static void direct(ControlTarget target) {
        Signals signals = new Signals(target);
        take("TERM", signals::stop);
        take("INT", signals::stop);
        take("HUP", signals::reload);
    }

    /**
     * {@code Signal.handle(new Signal(name), signal -> action.run())}, by reflection: sun.misc.Signal is what the JDK has
     * for this, and its compiler warns of it in a way that cannot be switched off. A signal that the system lacks or that
     * the JVM keeps for itself is left as it is.
     */
    private static void take(String name, Runnable action) {
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
            LOG.debug("signal {} cannot be taken", name, e.getCause());
        } catch (ReflectiveOperationException e) {
            LOG.warn("this JVM has no signals to take", e);
        }
    }

    private synchronized void stop() {
        if (stopping) {
            Runtime.getRuntime().halt(EXIT_CODE_OF_IMPATIENCE);
        }
        stopping = true;
        Thread.ofPlatform().name("belfry-stop").start(target::stop);
    }

    private void reload() {
        try {
            target.reload();
        } catch (RuntimeException e) {
            LOG.error("the configuration stays as it is: {}", e.getMessage());
        }
    }
}
