package io.belfry.attack.server;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Looks into another JVM of this machine and user, as jcmd does, without a process for each look. Owner: the main
 * thread.
 */
final class Insight implements AutoCloseable {
    private static final String LOOP = "belfry-lane";

    private final JMXConnector connector;
    private final MemoryMXBean memory;
    private final ThreadMXBean threads;

    private Insight(JMXConnector connector) throws IOException {
        this.connector = connector;
        MBeanServerConnection beans = connector.getMBeanServerConnection();
        memory = ManagementFactory.getPlatformMXBean(beans, MemoryMXBean.class);
        threads = ManagementFactory.getPlatformMXBean(beans, ThreadMXBean.class);
    }

    @SuppressWarnings("BanJNDI") // What answers is our own child, which came to this by its process id.
    static Insight into(long pid) throws IOException {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            String url = machine.startLocalManagementAgent();
            machine.detach();
            return new Insight(JMXConnectorFactory.connect(new JMXServiceURL(url)));
        } catch (AttachNotSupportedException e) {
            throw new IOException("the server's JVM lets nobody look into it: " + e.getMessage(), e);
        }
    }

    /** Collects all garbage first. */
    long heapBytes() {
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }

    /** The event loops that are alive, by the names of their threads. */
    Set<String> loops() {
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(Objects::nonNull)
                .map(ThreadInfo::getThreadName)
                .filter(name -> name.startsWith(LOOP))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public void close() {
        try {
            connector.close();
        } catch (IOException e) {
            // The server is gone already, and with it what was to be closed.
            return;
        }
    }
}
