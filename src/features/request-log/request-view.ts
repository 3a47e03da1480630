// A logged request, as lists and exports show it.

import { formatTime } from '../../shared/times.ts';
import type { LoggedRequest } from './request-lines.ts';

export function requestView(line: LoggedRequest) {
  return {
    id: line.number,
    at: formatTime(line.at),
    method: line.method,
    path: line.path,
    status: line.status,
    code: line.code,
    request_id: line.requestId,
    milliseconds: line.milliseconds,
    address: line.address,
  };
}
