import { formatDateTime } from "../../lib/time/time.ts";
import type { DecisionDetail } from "./request-record.ts";
import type { StoredRequest } from "./requests.ts";

export function presentRequest({ time, decisions, ...rest }: StoredRequest) {
  return {
    ...rest,
    time: formatDateTime(time),
    decisions: decisions.map(({ detail, ...decision }) =>
      detail ? { ...decision, detail: presentDetail(detail) } : decision,
    ),
  };
}

function presentDetail({ expiredOn, resetsOn, ...rest }: DecisionDetail) {
  return {
    ...rest,
    ...(expiredOn === undefined ? {} : { expiredOn: formatDateTime(expiredOn) }),
    ...(resetsOn === undefined ? {} : { resetsOn: formatDateTime(resetsOn) }),
  };
}
