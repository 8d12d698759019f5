package io.belfry.server.monitor;

import java.rmi.Remote;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import javax.rmi.ssl.SslRMIClientSocketFactory;

/** A JMX client for a process of its own: what it learns goes to its output, line by line. JDK only. */
public final class JmxClient {
    private JmxClient() {}

    /** {@code read|invoke|gadget|rebind|names host:port user password [tls]}; an empty user gives no credentials. */
    public static void main(String[] args) {
        try {
            run(args);
        } catch (Exception e) {
            print("FAILED " + e);
        }
    }

    @SuppressWarnings("BanJNDI") // the plain URL that every JMX client is given goes through JNDI
    private static void run(String[] args) throws Exception {
        if (args[0].equals("rebind")) {
            rebind(args[1]);
            return;
        }
        JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + args[1] + "/jmxrmi");
        try (JMXConnector connector = JMXConnectorFactory.connect(url, environment(args))) {
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            switch (args[0]) {
                case "read" -> read(beans);
                case "names" -> names(beans);
                case "invoke" -> beans.invoke(new ObjectName("java.lang:type=Memory"), "gc", null, null);
                case "gadget" -> gadget(beans);
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
        print("DONE");
    }

    private static Map<String, Object> environment(String[] args) {
        Map<String, Object> environment = new HashMap<>();
        if (!args[2].isEmpty()) {
            environment.put(JMXConnector.CREDENTIALS, new String[] {args[2], args[3]});
        }
        if (args.length > 4) {
            environment.put("com.sun.jndi.rmi.factory.socket", new SslRMIClientSocketFactory());
        }
        return environment;
    }

    private static void read(MBeanServerConnection beans) throws Exception {
        for (ObjectName name : new TreeSet<>(beans.queryNames(new ObjectName("io.belfry:*"), null))) {
            for (MBeanAttributeInfo attribute : beans.getMBeanInfo(name).getAttributes()) {
                print(name + " " + attribute.getName() + " = " + beans.getAttribute(name, attribute.getName()) + " # "
                        + attribute.getDescription());
            }
        }
    }

    private static void names(MBeanServerConnection beans) throws Exception {
        for (ObjectName name : new TreeSet<>(beans.queryNames(new ObjectName("belfry:*"), null))) {
            print(name.toString());
        }
    }

    /** An object that the server has no reason to build, sent where a parameter may stand. */
    private static void gadget(MBeanServerConnection beans) throws Exception {
        beans.invoke(
                new ObjectName("java.lang:type=Memory"),
                "gc",
                new Object[] {new java.util.concurrent.ConcurrentHashMap<>(Map.of("a", "b"))},
                new String[] {"java.lang.Object"});
    }

    private static void rebind(String hostAndPort) throws Exception {
        int colon = hostAndPort.lastIndexOf(':');
        Registry registry = LocateRegistry.getRegistry(
                hostAndPort.substring(0, colon), Integer.parseInt(hostAndPort.substring(colon + 1)));
        Remote stub = registry.lookup("jmxrmi");
        registry.rebind("jmxrmi", stub);
        print("DONE");
    }

    @SuppressWarnings("SystemOut")
    private static void print(String line) {
        System.out.println(line);
    }
}
