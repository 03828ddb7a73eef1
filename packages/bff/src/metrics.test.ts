import { expect, it } from 'vitest';
import { Metrics } from './metrics.ts';

it('samples of one name stand together, below their meaning and type', () => {
  const metrics = new Metrics();
  metrics.gauge('bff_event_streams', () => 2);
  metrics.count('bff_refusals_total{status="429"}');
  metrics.count('bff_damaged_checkouts_total');
  metrics.count('bff_refusals_total{status="400"}');
  metrics.count('bff_refusals_total{status="429"}');
  expect(metrics.text()).toBe(
    [
      '# HELP bff_event_streams Open event streams.',
      '# TYPE bff_event_streams gauge',
      'bff_event_streams 2',
      '# HELP bff_damaged_checkouts_total Stored checkouts that could not be read.',
      '# TYPE bff_damaged_checkouts_total counter',
      'bff_damaged_checkouts_total 1',
      '# HELP bff_refusals_total Refused requests of pages and shops, by HTTP status.',
      '# TYPE bff_refusals_total counter',
      'bff_refusals_total{status="400"} 1',
      'bff_refusals_total{status="429"} 2',
      '',
    ].join('\n'),
  );
});
