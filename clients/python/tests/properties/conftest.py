from hypothesis import HealthCheck, settings

# A busy machine must not fail a property.
settings.register_profile("belfry", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("belfry")
