package io.belfry.server.monitor;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import javax.management.MBeanServer;
import javax.management.remote.MBeanServerForwarder;
import org.jspecify.annotations.Nullable;

/**
 * Lets remote clients read attributes and hear notifications, and nothing else: a monitor that can invoke operations is
 * a remote shell. Allowed calls are listed rather than forbidden ones, so that what a later JDK adds is forbidden.
 * Immutable after the connector has set the bean server.
 */
final class ReadOnlyBeans implements InvocationHandler {
    private static final Set<String> ALLOWED = Set.of(
            "addNotificationListener",
            "getAttribute",
            "getAttributes",
            "getClassLoader",
            "getClassLoaderFor",
            "getClassLoaderRepository",
            "getDefaultDomain",
            "getDomains",
            "getMBeanCount",
            "getMBeanInfo",
            "getObjectInstance",
            "isInstanceOf",
            "isRegistered",
            "queryMBeans",
            "queryNames",
            "removeNotificationListener");

    private volatile @Nullable MBeanServer beans;

    static MBeanServerForwarder forwarder() {
        return (MBeanServerForwarder) Proxy.newProxyInstance(
                ReadOnlyBeans.class.getClassLoader(), new Class<?>[] {MBeanServerForwarder.class}, new ReadOnlyBeans());
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a proxy's equals ends up here; identity is its meaning
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        return switch (method.getName()) {
            case "getMBeanServer" -> beans;
            case "setMBeanServer" -> {
                beans = arguments == null ? null : (MBeanServer) arguments[0];
                yield null;
            }
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "read-only beans";
            default -> forward(method, arguments);
        };
    }

    private @Nullable Object forward(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        if (!ALLOWED.contains(method.getName())) {
            throw new SecurityException("Access is read-only: " + method.getName() + " is not allowed");
        }
        try {
            return method.invoke(beans, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
