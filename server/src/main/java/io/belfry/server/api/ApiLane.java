package io.belfry.server.api;

import io.belfry.server.workgroup.Lane;
import io.belfry.server.workgroup.LaneInspector;
import io.belfry.server.workgroup.LaneOperator;

/** A lane as the API uses it. Immutable; inspector and operator are used on the lane's loop only. */
record ApiLane(Lane lane, LaneInspector inspector, LaneOperator operator) {
    static ApiLane of(Lane lane) {
        return new ApiLane(lane, lane.inspector(), lane.operator());
    }
}
