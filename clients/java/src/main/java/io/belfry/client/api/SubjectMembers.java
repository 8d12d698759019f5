package io.belfry.client.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of a subject with presence. Immutable.
 *
 * @param users number of users
 * @param sessions number of their sessions
 * @param members the users in the order in which they joined; null if there are more than followers get
 */
public record SubjectMembers(
        String subject, long users, long sessions, @Nullable List<SubjectMember> members) {
    /**
     * A member. Immutable.
     *
     * @param info what the user's token says for presence; empty if it says nothing
     */
    public record SubjectMember(String user, long sessions, Map<String, Object> info) {}

    static SubjectMembers of(Map<String, Object> json) {
        return new SubjectMembers(
                ApiJson.text(json, "subject"),
                ApiJson.number(json, "users"),
                ApiJson.number(json, "sessions"),
                json.containsKey("members")
                        ? ApiJson.objects(json, "members").stream()
                                .map(SubjectMembers::member)
                                .toList()
                        : null);
    }

    @SuppressWarnings("unchecked") // The names of an object's members are texts.
    private static SubjectMember member(Map<String, Object> json) {
        Map<String, Object> info = json.get("info") instanceof Map<?, ?> map ? (Map<String, Object>) map : Map.of();
        return new SubjectMember(ApiJson.text(json, "user"), ApiJson.number(json, "sessions"), info);
    }
}
