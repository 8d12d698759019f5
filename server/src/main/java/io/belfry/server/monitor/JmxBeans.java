package io.belfry.server.monitor;

import io.belfry.server.alert.Alert;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registers this server's beans in the process's bean server. Owner: the thread that starts and stops the server. */
final class JmxBeans implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JmxBeans.class);

    private final MBeanServer beans;
    private final Deque<ObjectName> registered = new ArrayDeque<>();

    JmxBeans(MBeanServer beans) {
        this.beans = beans;
    }

    void register(Sampler sampler, String node, String version, Supplier<List<Alert>> alerts) throws IOException {
        register("io.belfry:type=Server", new ServerBean(sampler, node, version, alerts));
        List<WorkgroupFigures> workgroups = sampler.latest().workgroups();
        for (int index = 0; index < workgroups.size(); index++) {
            register(
                    "io.belfry:type=Workgroup,name=" + workgroups.get(index).name(), new WorkgroupBean(sampler, index));
        }
    }

    private void register(String name, DescribedBean bean) throws IOException {
        try {
            registered.push(beans.registerMBean(bean, new ObjectName(name)).getObjectName());
        } catch (JMException e) {
            throw new IOException(
                    "JMX bean " + name + " cannot be registered; another server with Monitor = JMX may run in this"
                            + " process",
                    e);
        }
    }

    @Override
    public void close() {
        for (ObjectName name : registered) {
            try {
                beans.unregisterMBean(name);
            } catch (JMException e) {
                LOG.debug("bean {} was already unregistered", name, e);
            }
        }
        registered.clear();
    }
}
