package io.belfry.server.monitor;

import java.util.Optional;
import java.util.stream.Stream;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.StandardMBean;

/** An MXBean that describes each attribute with the sentence of its {@link Figure} annotation. Immutable. */
class DescribedBean extends StandardMBean {
    private final String sentence;

    <T> DescribedBean(Class<T> beanInterface, String sentence) {
        super(beanInterface, true);
        this.sentence = sentence;
    }

    @Override
    protected String getDescription(MBeanInfo info) {
        return sentence;
    }

    @Override
    protected String getDescription(MBeanAttributeInfo attribute) {
        return Stream.of(getMBeanInterface().getMethods())
                .filter(getter -> getter.getName().equals("get" + attribute.getName()))
                .flatMap(getter -> Optional.ofNullable(getter.getAnnotation(Figure.class)).stream())
                .map(figure -> figure.value() + " [" + figure.unit() + "]")
                .findFirst()
                .orElse(attribute.getName());
    }
}
