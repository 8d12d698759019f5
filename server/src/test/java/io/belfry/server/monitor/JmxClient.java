package io.belfry.server.monitor;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.rmi.Remote;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import javax.rmi.ssl.SslRMIClientSocketFactory;

/** A JMX client that runs in its own process and prints its results line by line. It uses only the JDK. */
public final class JmxClient {
    private JmxClient() {}

    /**
     * Arguments: {@code read|threads|operations|changes|invoke|gadget|rebind|names host:port user password [tls]}. An
     * empty user sends no credentials.
     */
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
                case "threads" -> threads(beans);
                case "operations" -> operations(beans);
                case "changes" -> changes(beans);
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

    /** Calls the methods of jconsole's Threads tab and VisualVM's threads view, through the same kind of proxy. */
    private static void threads(MBeanServerConnection beans) throws Exception {
        ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(
                beans, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        long[] ids = threads.getAllThreadIds();
        print("findDeadlockedThreads " + (threads.findDeadlockedThreads() == null));
        print("findMonitorDeadlockedThreads " + (threads.findMonitorDeadlockedThreads() == null));
        print("getThreadInfo " + (threads.getThreadInfo(ids[0]) != null));
        print("getThreadInfo with depth " + (threads.getThreadInfo(ids[0], Integer.MAX_VALUE) != null));
        print("getThreadInfo of all " + (threads.getThreadInfo(ids).length == ids.length));
        print("getThreadInfo of all with depth " + (threads.getThreadInfo(ids, 5).length == ids.length));
        print("getThreadInfo of all with locks " + (threads.getThreadInfo(ids, true, true).length == ids.length));
        print("getThreadInfo of all with all " + (threads.getThreadInfo(ids, true, true, 5).length == ids.length));
        print("getThreadCpuTime " + (threads.getThreadCpuTime(ids[0]) >= -1));
        print("getThreadCpuTime of all " + (threads.getThreadCpuTime(ids).length == ids.length));
        print("getThreadUserTime " + (threads.getThreadUserTime(ids[0]) >= -1));
        print("getThreadUserTime of all " + (threads.getThreadUserTime(ids).length == ids.length));
        print("getThreadAllocatedBytes " + (threads.getThreadAllocatedBytes(ids[0]) >= -1));
        print("getThreadAllocatedBytes of all " + (threads.getThreadAllocatedBytes(ids).length == ids.length));
        print("dumpAllThreads " + (threads.dumpAllThreads(true, false).length > 0));
        print("dumpAllThreads with depth " + (threads.dumpAllThreads(true, true, 5).length > 0));
        HotSpotDiagnosticMXBean options = ManagementFactory.newPlatformMXBeanProxy(
                beans, "com.sun.management:type=HotSpotDiagnostic", HotSpotDiagnosticMXBean.class);
        print("getVMOption "
                + options.getVMOption("HeapDumpOnOutOfMemoryError").getName().equals("HeapDumpOnOutOfMemoryError"));
    }

    /**
     * Calls every operation of every bean without arguments. An allowed call fails at its bean; a refused one fails
     * before.
     */
    private static void operations(MBeanServerConnection beans) throws Exception {
        for (ObjectName name : new TreeSet<>(beans.queryNames(null, null))) {
            for (MBeanOperationInfo operation : beans.getMBeanInfo(name).getOperations()) {
                String[] signature = Stream.of(operation.getSignature())
                        .map(MBeanParameterInfo::getType)
                        .toArray(String[]::new);
                print(name + " " + operation.getName() + "(" + String.join(", ", signature) + ") "
                        + refusedOrNot(() ->
                                beans.invoke(name, operation.getName(), new Object[signature.length], signature)));
            }
        }
    }

    private static void changes(MBeanServerConnection beans) throws Exception {
        ObjectName threading = new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME);
        ObjectName another = new ObjectName("io.belfry:type=Another");
        print("setAttribute "
                + refusedOrNot(() -> {
                    beans.setAttribute(threading, new Attribute("ThreadCpuTimeEnabled", true));
                    return "";
                }));
        print("createMBean " + refusedOrNot(() -> beans.createMBean("javax.management.loading.MLet", another)));
        print("unregisterMBean "
                + refusedOrNot(() -> {
                    beans.unregisterMBean(threading);
                    return "";
                }));
        print("invoke with a name alone " + refusedOrNot(() -> beans.invoke(threading, "dumpAllThreads", null, null)));
    }

    private static String refusedOrNot(Callable<?> call) {
        try {
            call.call();
            return "allowed";
        } catch (SecurityException e) {
            return String.valueOf(e.getMessage()).contains("read-only") ? "refused" : "failed: " + e;
        } catch (Exception e) {
            return "allowed";
        }
    }

    /** Sends an object that the server must not deserialize in the place of a parameter. */
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
