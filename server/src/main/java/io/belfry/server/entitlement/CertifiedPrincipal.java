package io.belfry.server.entitlement;

/** The permissions of a client whose certificate names the user. Immutable. */
record CertifiedPrincipal(Principal rights, String user) implements WrappedPrincipal {
    /** Returns the answer with the subject of the client's certificate as its user, if the client has a certificate. */
    static Entitlement.Answer named(Entitlement.Answer answer, Entitlement.Credentials credentials) {
        String subject = credentials.certificate();
        return subject != null
                        && UserNames.problem(subject) == null
                        && answer instanceof Entitlement.Answer.Accepted accepted
                ? new Entitlement.Answer.Accepted(new CertifiedPrincipal(accepted.principal(), subject))
                : answer;
    }
}
