import { expect, it } from 'vitest';
import { Metrics } from './metrics.ts';

it('samples of one name stand together, below their type', () => {
  const metrics = new Metrics();
  metrics.gauge('bff_event_streams', () => 2);
  metrics.count('bff_refusals_total{status="429"}');
  metrics.count('bff_damaged_checkouts_total');
  metrics.count('bff_refusals_total{status="400"}');
  metrics.count('bff_refusals_total{status="429"}');
  expect(metrics.text()).toBe(
    [
      '# TYPE bff_event_streams gauge',
      'bff_event_streams 2',
      '# TYPE bff_damaged_checkouts_total counter',
      'bff_damaged_checkouts_total 1',
      '# TYPE bff_refusals_total counter',
      'bff_refusals_total{status="400"} 1',
      'bff_refusals_total{status="429"} 2',
      '',
    ].join('\n'),
  );
});
