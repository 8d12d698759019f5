package io.belfry.server.monitor;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Set;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.remote.MBeanServerForwarder;
import org.jspecify.annotations.Nullable;

/**
 * Lets remote clients read attributes, receive notifications and invoke the operations of {@link ReadingOperations}.
 * All other calls are refused, because unrestricted operations would amount to a remote shell. Allowed calls are
 * listed, so that calls added by a later JDK are refused. Immutable after the connector has set the bean server.
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
    @SuppressWarnings("ReferenceEquality") // this method also handles the proxy's equals, which compares identity
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
        if (method.getName().equals("invoke")) {
            requireReading(Objects.requireNonNull(arguments));
        } else if (!ALLOWED.contains(method.getName())) {
            throw new SecurityException("Access is read-only: " + method.getName() + " is not allowed");
        }
        try {
            return method.invoke(beans, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** Checks the arguments of {@link MBeanServer#invoke}: bean name, operation, values and their types. */
    private static void requireReading(@Nullable Object[] arguments) {
        ObjectName bean = (ObjectName) arguments[0];
        String operation = ReadingOperations.describe((String) arguments[1], (@Nullable String[]) arguments[3]);
        if (!ReadingOperations.contains(bean, operation)) {
            throw new SecurityException("Access is read-only: " + operation + " of " + bean + " is not allowed");
        }
    }
}
