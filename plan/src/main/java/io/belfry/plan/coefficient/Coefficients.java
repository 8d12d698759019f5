package io.belfry.plan.coefficient;

import io.belfry.plan.input.Nonsense;
import io.belfry.plan.input.Trouble;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A value for every {@link Factor}. Immutable. */
public final class Coefficients {
    private final Map<Factor, Coefficient> all;

    private Coefficients(Map<Factor, Coefficient> all) {
        this.all = all;
    }

    /** @throws Nonsense where a factor has none */
    static Coefficients of(Collection<Coefficient> given) {
        Map<Factor, Coefficient> all = new EnumMap<>(Factor.class);
        given.forEach(each -> all.put(each.factor(), each));
        for (Factor factor : Factor.values()) {
            if (!all.containsKey(factor)) {
                throw new Nonsense(Trouble.BAD_COEFFICIENTS, "there is no " + factor.key());
            }
        }
        return new Coefficients(all);
    }

    /** {@code cpu-delivery=6.5}, in the unit that the factor has. */
    public Coefficients with(List<String> settings) {
        Map<Factor, Coefficient> changed = new EnumMap<>(all);
        settings.forEach(setting -> {
            Coefficient next = changed(setting);
            changed.put(next.factor(), next);
        });
        return new Coefficients(changed);
    }

    private Coefficient changed(String setting) {
        int equals = setting.indexOf('=');
        String key = equals < 0 ? setting : setting.substring(0, equals).strip();
        Factor factor = Factor.of(key)
                .orElseThrow(() -> new Nonsense(
                        Trouble.UNKNOWN_COEFFICIENT,
                        key + " is no coefficient; 'bin/belfry plan coefficients' lists them"));
        return new Coefficient(
                factor,
                number(key, equals < 0 ? "" : setting.substring(equals + 1).strip()),
                Coefficient.Basis.GIVEN,
                of(factor).what(),
                "the command line",
                "");
    }

    private static double number(String key, String text) {
        try {
            double value = Double.parseDouble(text);
            if (value >= 0 && value < Double.POSITIVE_INFINITY) {
                return value;
            }
        } catch (NumberFormatException notOne) {
            // Said below, as of a negative one.
        }
        throw new Nonsense(
                Trouble.BAD_VALUE, key + " is a number from 0, in the unit it is listed with, not '" + text + "'");
    }

    public Coefficient of(Factor factor) {
        return Objects.requireNonNull(all.get(factor));
    }

    public double value(Factor factor) {
        return of(factor).value();
    }

    /** Those that nobody has measured. */
    public List<Factor> assumed() {
        return all.values().stream()
                .filter(each -> each.basis() == Coefficient.Basis.ASSUMED)
                .map(Coefficient::factor)
                .toList();
    }

    public List<Coefficient> list() {
        return List.copyOf(all.values());
    }
}
