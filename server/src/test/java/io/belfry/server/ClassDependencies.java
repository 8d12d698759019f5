package io.belfry.server;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.stream.Stream;

/** The classes that a class depends on, as its class file shows them; constants of the compiler do not count. Pure functions. */
final class ClassDependencies {
    private ClassDependencies() {}

    /** Returns the classes, those of caught exceptions included, which ArchUnit reports apart from the others. */
    static Stream<JavaClass> of(JavaClass type) {
        Stream<JavaClass> caught = type.getCodeUnits().stream()
                .flatMap(unit -> unit.getTryCatchBlocks().stream())
                .flatMap(block -> block.getCaughtThrowables().stream());
        return Stream.concat(type.getDirectDependenciesFromSelf().stream().map(Dependency::getTargetClass), caught)
                .map(JavaClass::getBaseComponentType);
    }
}
