package io.belfry.integration;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ConstantDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server with one deliberate defect, as the control of a test that must detect the defect. The changed classes are
 * in a copy that precedes the others on the class path, so the server itself has no switch for the defect.
 */
enum Mutant {
    /** Acknowledges a message that one broker has, before any node can read it. */
    ONE_BROKER_IS_ENOUGH(
            new Edit("ClientSettings", "producer", constants(Map.of("all", "1", "true", "false"))),
            new Edit("KafkaBroker", "isTaken", answering(1))),

    /** A producer that continues after a failed write. */
    NO_FAIL_STOP(new Edit("LogPublisher$Life", "onDone", goingOn())),

    /** A producer that removes a topic from its metadata after 5 s without use, Kafka's minimum, instead of a day. */
    FORGETS_THE_TOPIC(new Edit("ClientSettings", "producer", constants(Map.of(24L * 60 * 60 * 1000, 5000L))));

    private static final String PACKAGE = "io/belfry/server/cluster/";

    @SuppressWarnings("ImmutableEnumChecker") // Functions of what they are given.
    private final List<Edit> edits;

    Mutant(Edit... edits) {
        this.edits = List.of(edits);
    }

    private record Edit(String changed, String method, Change change) {
        String file() {
            return PACKAGE + changed + ".class";
        }
    }

    private interface Change {
        /** Replaces this element and returns true, or returns false to keep it. */
        boolean replaces(CodeElement element, CodeBuilder code);
    }

    private static Change constants(Map<? extends ConstantDesc, ? extends ConstantDesc> others) {
        return (element, code) -> {
            ConstantDesc other =
                    element instanceof ConstantInstruction constant ? others.get(constant.constantValue()) : null;
            if (other != null) {
                code.loadConstant(other);
            }
            return other != null;
        };
    }

    private static Change answering(int constant) {
        return (element, code) -> {
            boolean answers = element instanceof ReturnInstruction;
            if (answers) {
                code.pop().loadConstant(constant).ireturn();
            }
            return answers;
        };
    }

    /**
     * Neither records the failure nor closes the producer; the arguments of both calls are still removed from the
     * stack.
     */
    private static Change goingOn() {
        return (element, code) -> {
            boolean closes =
                    element instanceof InvokeInstruction call && call.name().equalsString("close");
            boolean notes = element instanceof FieldInstruction field
                    && field.opcode() == Opcode.PUTFIELD
                    && field.name().equalsString("failed");
            if (closes || notes) {
                code.pop().pop();
            }
            return closes || notes;
        };
    }

    /** Starts a server with the settings of production. */
    ServerProcess start(String... sets) {
        return ServerProcess.startWith(
                List.of("-cp", folder() + File.pathSeparator + System.getProperty("java.class.path")), sets);
    }

    private Path folder() {
        Path folder = TestMachine.target().resolve("mutants").resolve(name());
        try {
            for (Edit edit : edits) {
                Path file = folder.resolve(edit.file());
                Files.createDirectories(file.getParent());
                Files.write(file, mutated(edit));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return folder;
    }

    private static byte[] mutated(Edit edit) throws IOException {
        String resource = "/" + edit.file();
        try (InputStream in = Objects.requireNonNull(Mutant.class.getResourceAsStream(resource), resource)) {
            ClassFile files = ClassFile.of();
            AtomicInteger changes = new AtomicInteger();
            byte[] mutated = files.transformClass(
                    files.parse(in.readAllBytes()),
                    ClassTransform.transformingMethodBodies(
                            body -> body.methodName().equalsString(edit.method()), (code, element) -> {
                                if (edit.change().replaces(element, code)) {
                                    changes.incrementAndGet();
                                } else {
                                    code.with(element);
                                }
                            }));
            if (changes.get() == 0) {
                throw new AssertionError("there is nothing to change in " + resource);
            }
            return mutated;
        }
    }
}
