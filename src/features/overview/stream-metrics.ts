import { Gauge, type Registry } from '@prometheus-io/client';
import type { PanelStreams } from './panel-streams.ts';

export function observePanelStreams(registry: Registry, streams: Pick<PanelStreams, 'count'>): void {
  new Gauge({
    name: 'sellthrough_panel_streams',
    help: 'Open event streams of the panel.',
    registers: [registry],
    collect() {
      this.set(streams.count());
    },
  });
}
