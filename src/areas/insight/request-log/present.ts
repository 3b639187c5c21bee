import { formatDateTime } from "../../../lib/time/time.ts";
import type { DecisionDetail } from "./request-record.ts";
import type { StoredRequest } from "./requests.ts";

export function presentRequest({ time, decisions, ...rest }: StoredRequest) {
  const shown = decisions.map(({ detail, ...decision }) => ({
    ...decision,
    ...(detail && { detail: presentDetail(detail) }),
  }));
  const observed = shown.flatMap(({ policy, code, detail }) => (code === undefined ? [] : { policy, code, detail }));
  return {
    ...rest,
    time: formatDateTime(time),
    decisions: shown,
    ...(observed.length > 0 && { observed }),
  };
}

function presentDetail({ expiredOn, resetsOn, ...rest }: DecisionDetail) {
  return {
    ...rest,
    ...(expiredOn === undefined ? {} : { expiredOn: formatDateTime(expiredOn) }),
    ...(resetsOn === undefined ? {} : { resetsOn: formatDateTime(resetsOn) }),
  };
}
