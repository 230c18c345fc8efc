/** What the collected JSON files of real tools hold, written out by hand from the files. */
import type { Format } from '../../../src/kernel/words.ts';
import type { Expected } from './reading.ts';

export const jmhName = 'org.openjdk.jmh.samples.JMHSample_01_HelloWorld.wellHelloThere';

export const expectedJson: readonly Expected[] = [
  [
    'benchmarkdotnet/bencher-memory.json',
    'benchmarkdotnet',
    [
      ['BenchmarkDotNet.Samples.Memory.AllocEmptyList', 'ns', 's', 77.4944941203],
      ['BenchmarkDotNet.Samples.Memory.AllocEmptyList [allocated]', 'bytes', 's', 368],
      ['BenchmarkDotNet.Samples.Memory.AllocExactList', 'ns', 's', 54.6484470367],
      ['BenchmarkDotNet.Samples.Memory.AllocExactList [allocated]', 'bytes', 's', 184],
    ],
  ],
  [
    'benchmarkdotnet/bencher-two.json',
    'benchmarkdotnet',
    [
      ['BenchmarkDotNet.Samples.Intro.IntroJsonExport.Sleep10', 'ns', 's', 10362283.0858],
      ['BenchmarkDotNet.Samples.Intro.IntroJsonExport.Sleep20', 'ns', 's', 20360791.9317],
    ],
  ],
  [
    'google-benchmark/gbench-test3_run0.json',
    'google-benchmark',
    [
      ['BM_One', 'ns', 's', 10],
      ['BM_One [cpu]', 'ns', 's', 100],
      ['BM_Two', 'ns', 's', 8.5],
      ['BM_Two [cpu]', 'ns', 's', 88],
      ['short', 'ns', 's', 8],
      ['short [cpu]', 'ns', 's', 78.5],
      ['medium', 'ns', 's', 8.5],
      ['medium [cpu]', 'ns', 's', 81],
    ],
  ],
  [
    'google-benchmark/gbench-test3_run1.json',
    'google-benchmark',
    [
      ['BM_One', 'ns', 's', 9],
      ['BM_One [cpu]', 'ns', 's', 110],
      ['BM_Two', 'ns', 's', 7],
      ['BM_Two [cpu]', 'ns', 's', 72],
      ['short', 'ns', 's', 800],
      ['short [cpu]', 'ns', 's', 1],
      ['medium', 'ns', 's', 5],
      ['medium [cpu]', 'ns', 's', 53],
    ],
  ],
  [
    'google-benchmark/gbench-test4_run0.json',
    'google-benchmark',
    [
      ['whocares', 'percent', 's', 0.01],
      ['whocares [cpu]', 'percent', 's', 0.1],
    ],
  ],
  [
    'google-benchmark/gbench-test4_run1.json',
    'google-benchmark',
    [
      ['whocares', 'percent', 's', 0.005],
      ['whocares [cpu]', 'percent', 's', 0.15],
    ],
  ],
  [
    'google-benchmark/gha-googlecpp_output.json',
    'google-benchmark',
    [
      ['fib_10', 'ns', 's', 214.989801145],
      ['fib_10 [cpu]', 'ns', 's', 213.655072062],
      ['fib_20', 'ns', 's', 27455.600415],
      ['fib_20 [cpu]', 'ns', 's', 27364.9032043],
    ],
  ],
  [
    'hyperfine/bencher-one.json',
    'hyperfine',
    [
      ['sleep 0.01', 'ns', 's', 13317239.0254],
      ['sleep 0.01 [user+system]', 'ns', 's', 945299.065421],
    ],
  ],
  ['jmh/bencher-latency.json', 'jmh', [[jmhName, 'ns', 's', 3.37623887312e18]]],
  ['jmh/bencher-throughput.json', 'jmh', [[jmhName, 'operations/s', 'b', 3376238873.12]]],
  [
    'jmh/gha-jmh_output_params.json',
    'jmh',
    [[`${jmhName} (paramA=17, paramB=33)`, 'operations/s', 'b', 3376238873.12]],
  ],
  [
    'k6-summary/k6reporter-grpc.json',
    'k6',
    [
      ['fake_gauge', '', 's', 35.0611152726],
      ['fake_trend avg', '', 's', 495.446584707],
      ['fake_trend med', '', 's', 494.755836056],
      ['fake_trend p(90)', '', 's', 899.937384018],
      ['fake_trend p(95)', '', 's', 948.036983519],
      ['fake_rate', 'share', 'b', 0.49984399376],
      ['checks', 'share', 'b', 1],
      ['iteration_duration avg', 'ns', 's', 2580914.91607],
      ['iteration_duration med', 'ns', 's', 2292130],
      ['iteration_duration p(90)', 'ns', 's', 4169165.8],
      ['iteration_duration p(95)', 'ns', 's', 5021185.1],
      ['grpc_req_duration avg', 'ns', 's', 1033118.31097],
      ['grpc_req_duration med', 'ns', 's', 758751],
      ['grpc_req_duration p(90)', 'ns', 's', 2019405],
      ['grpc_req_duration p(95)', 'ns', 's', 2522843.2],
      ['grpc_reqs rate', 'operations/s', 'b', 2833.55024418],
      ['data_sent rate', 'bytes/s', 'b', 748036.930094],
      ['data_received rate', 'bytes/s', 'b', 395202.310645],
      ['iterations rate', 'operations/s', 'b', 2833.55024418],
    ],
  ],
  [
    'mitata/mitata-1.0.34-local.json',
    'mitata',
    [
      ['fib(10)', 'ns', 's', 9.17442239062],
      ['json > JSON.stringify small', 'ns', 's', 140.249695729],
      ['json > size 1', 'ns', 's', 29.4582627577],
      ['json > size 100', 'ns', 's', 161.016221582],
      ['throws', 'ns', 's', null],
      ['empty', 'ns', 's', 0.0943056613275],
    ],
  ],
  [
    'pyperf/mult_list_py36.json',
    'pyperf',
    [
      ['[1]*1000', 'ns', 's', 2127.00223592],
      ['[1,2]*1000', 'ns', 's', 3704.37348636],
      ['[1,2,3]*1000', 'ns', 's', 4613.2659277],
    ],
  ],
  [
    'pyperf/mult_list_py36_tags.json',
    'pyperf',
    [
      ['[1]*1000', 'ns', 's', 2127.00223592],
      ['[1,2]*1000', 'ns', 's', 3704.37348636],
      ['[1,2,3]*1000', 'ns', 's', 4613.2659277],
    ],
  ],
  [
    'pyperf/mult_list_py37.json',
    'pyperf',
    [
      ['[1]*1000', 'ns', 's', 2089.66023432],
      ['[1,2]*1000', 'ns', 's', 5277.10995587],
      ['[1,2,3]*1000', 'ns', 's', 6053.96181492],
    ],
  ],
  [
    'pyperf/mult_list_py38.json',
    'pyperf',
    [
      ['[1]*1000', 'ns', 's', 2128.3866814],
      ['[1,2]*1000', 'ns', 's', 3182.86955364],
      ['[1,2,3]*1000', 'ns', 's', 4172.53145302],
    ],
  ],
  // 7,360,512, 7,364,608 and 7,380,992 bytes.
  ['pyperf/track_memory.json', 'pyperf', [['timeit', 'bytes', 's', 7368704]]],
  [
    'pytest-benchmark/gha-pytest_output.json',
    'pytest-benchmark',
    [
      ['bench.py::test_fib_10', 'ns', 's', 24088.6813332],
      ['bench.py::test_fib_20', 'ns', 's', 2985030.67266],
    ],
  ],
  [
    'pytest-benchmark/ptb-0001.json',
    'pytest-benchmark',
    [['tests/test_normal.py::test_xfast_parametrized[0]', 'ns', 's', 262.240813265]],
  ],
  [
    'pytest-benchmark/ptb-0030.json',
    'pytest-benchmark',
    [['tests/test_normal.py::test_xfast_parametrized[0]', 'ns', 's', 261.205074139]],
  ],
  [
    'tinybench/tinybench-2.9.0-local-samples-cut.json',
    'tinybench',
    [
      ['sort | 10', 'ns', 's', 588.091932899],
      ['naïve ✓ emoji 🚀', 'ns', 's', 98.6873342363],
      ['async resolved', 'ns', 's', 215.181569746],
      ['throws', 'ns', 's', null],
    ],
  ],
  [
    'tinybench/vitest-four.json',
    'vitest',
    [
      ['fib.bench.ts > fibonacci > fib(10)', 'ns', 's', 1e6],
      ['fib.bench.ts > fibonacci > fib(20)', 'ns', 's', 2e6],
      ['sort.bench.ts > sorting > normal', 'ns', 's', 5e6],
      ['sort.bench.ts > sorting > reverse', 'ns', 's', 10e6],
    ],
  ],
];

/** Name → value of a few rows, for files whose rows follow one pattern. */
export const expectedRows: readonly (readonly [
  file: string,
  format: Format,
  rows: number,
  Readonly<Record<string, number | null>>,
])[] = [
  [
    'autocannon/autocannon-8.0.0-204.json',
    'autocannon',
    11,
    // Whole milliseconds: a median of 0 is below what autocannon can tell, and is no value.
    {
      'latency mean': 40e3,
      'latency p50': null,
      'latency p90': null,
      'latency p99': 1e6,
      'requests/s': 100,
      'bytes/s': 11100,
      non2xx: 0,
    },
  ],
  [
    'autocannon/autocannon-8.0.0-mixed.json',
    'autocannon',
    11,
    {
      'latency mean': 2.51e6,
      'latency p50': 2e6,
      'latency p97.5': 6e6,
      'latency p99': 8e6,
      'latency p99.9': 9e6,
      'requests/s': 177,
      non2xx: 40,
      errors: 0,
    },
  ],
  [
    'autocannon/autocannon-9.0.0-mixed.json',
    'autocannon',
    11,
    { 'latency mean': 2.59e6, 'latency p50': 2e6, 'latency p99': 7e6, 'bytes/s': 23352, non2xx: 40 },
  ],
  [
    'autocannon/autocannon-9.0.0-fixture.json',
    'autocannon',
    11,
    {
      'example result: latency mean': 100.1e6,
      'example result: latency p50': 67e6,
      'example result: latency p99': 386e6,
      'example result: requests/s': 250,
    },
  ],
  [
    'google-benchmark/gbench-test1_run1.json',
    'google-benchmark',
    28,
    {
      BM_SameTimes: 10,
      BM_100xFaster: 10000,
      BM_NotBadTimeUnit: 0.4e9,
      'BM_NotBadTimeUnit [cpu]': 0.5e9,
      BM_DifferentTimeUnit: 1e9,
    },
  ],
  [
    'google-benchmark/gbench-test1_run2.json',
    'google-benchmark',
    28,
    {
      BM_2xFaster: 25,
      BM_100xSlower: 10000,
      'BM_10PercentCPUToTime [cpu]': 90,
      BM_ThirdFaster: 66.665,
      BM_DifferentTimeUnit: 1,
    },
  ],
];
