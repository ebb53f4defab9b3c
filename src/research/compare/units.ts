/** A unit as a factor to the base of its dimension; `offset` is for temperatures. */
type UnitFactor = { dimension: string; factor: number; offset: number; written?: number };

/** Units by dimension, factor and spellings. Spellings of one or two letters are case-sensitive. */
const TABLE: [dimension: string, factor: number, spellings: string][] = [
  ['length', 1e-9, 'nm nanometre nanometres nanometer nanometers'],
  ['length', 1e-6, 'µm μm micrometre micrometres micrometer micrometers micron microns'],
  ['length', 1e-3, 'mm millimetre millimetres millimeter millimeters 毫米 ミリ'],
  [
    'length',
    1e-2,
    'cm centimetre centimetres centimeter centimeters zentimeter centímetros centimètres 厘米 センチ',
  ],
  [
    'length',
    1,
    'm metre metres meter meters metern mètre mètres metro metros metri метр метра метров 米 メートル',
  ],
  [
    'length',
    1e3,
    'km kilometre kilometres kilometer kilometers kilometern kilomètre kilomètres kilómetros chilometri км километр километра километров 公里 千米 キロメートル',
  ],
  ['length', 0.3048, 'ft foot feet fuß pieds pies'],
  ['length', 0.0254, 'inch inches'],
  ['length', 0.9144, 'yd yard yards'],
  ['length', 1609.344, 'mi mile miles meilen millas'],
  ['area', 1, 'm² m2 sqm'],
  ['area', 1e6, 'km² km2 平方公里 平方千米'],
  ['area', 1e4, 'ha hectare hectares hektar 公顷 ヘクタール'],
  ['area', 4046.8564224, 'acre acres'],
  ['mass', 1e-6, 'mg milligram milligrams milligramm'],
  ['mass', 1e-3, 'g gram grams gramm grammes gramos 克 グラム'],
  ['mass', 1, 'kg kilogram kilograms kilogramm kilogrammes kilogramos кг 公斤 千克 キログラム'],
  ['mass', 1e3, 't tonne tonnes tonnen toneladas тонн 吨 トン'],
  ['mass', 0.45359237, 'lb lbs pound pounds'],
  ['mass', 0.028349523125, 'oz ounce ounces'],
  ['volume', 1e-3, 'ml mL millilitre millilitres milliliter milliliters'],
  ['volume', 1, 'l L litre litres liter liters litros 升 リットル'],
  ['time', 1e-3, 'ms millisecond milliseconds millisekunden'],
  ['time', 1, 's sec second seconds sekunden secondes segundos секунд 秒'],
  ['time', 60, 'min minute minutes minuten minutos минут 分钟'],
  ['time', 3600, 'h hr hrs hour hours stunden heures horas часов 小时 時間'],
  ['time', 86400, 'day days tage tagen jours días дней 天'],
  ['time', 604800, 'week weeks wochen semaines semanas'],
  ['time:months', 1, 'month months monate monaten mois meses'],
  ['time:years', 1, 'yr yrs year years jahre jahren ans années años лет'],
  ['data', 1, 'byte bytes B'],
  ['data', 1e3, 'kB KB kilobyte kilobytes'],
  ['data', 1e6, 'MB megabyte megabytes'],
  ['data', 1e9, 'GB gigabyte gigabytes'],
  ['data', 1e12, 'TB terabyte terabytes'],
  ['data', 1024, 'KiB kibibytes'],
  ['data', 1048576, 'MiB mebibytes'],
  ['data', 1073741824, 'GiB gibibytes'],
  ['speed', 1 / 3.6, 'km/h kph'],
  ['speed', 0.44704, 'mph'],
  ['speed', 1, 'm/s'],
  ['power', 1, 'W watt watts'],
  ['power', 1e3, 'kW kilowatt kilowatts'],
  ['power', 1e6, 'MW megawatt megawatts'],
  ['power', 1e9, 'GW gigawatt gigawatts'],
  ['frequency', 1, 'Hz hertz'],
  ['frequency', 1e6, 'MHz megahertz'],
  ['frequency', 1e9, 'GHz gigahertz'],
  ['percent', 1, '% percent prozent porcentaje'],
  ['percent', 0.1, '‰'],
  ['money:usd', 1, 'USD dollar dollars dólares 美元 ドル'],
  ['money:eur', 1, 'EUR euro euros € 欧元 ユーロ'],
  ['money:gbp', 1, 'GBP'],
  ['money:jpy', 1, 'JPY yen 日元 円'],
  ['money:cny', 1, 'CNY RMB yuan 元 人民币'],
  [
    'count:people',
    1,
    'people inhabitants residents persons einwohner einwohnern einwohnerinnen habitants habitantes abitanti жителей человек 人 居民',
  ],
];

/** Every spelling of a unit; those of three or more letters in lower case too. */
export const UNITS: ReadonlyMap<string, UnitFactor> = new Map([
  ...TABLE.flatMap(([dimension, factor, spellings]) =>
    spellings.split(' ').flatMap((spelling): [string, UnitFactor][] => {
      const unit = { dimension, factor, offset: 0 };
      return spelling.length > 2
        ? [
            [spelling, unit],
            [spelling.toLowerCase(), unit],
          ]
        : [[spelling, unit]];
    }),
  ),
  ...['°C', '° C'].map((spelling): [string, UnitFactor] => [
    spelling,
    { dimension: 'temperature', factor: 1, offset: 0 },
  ]),
  ...['°F', '° F'].map((spelling): [string, UnitFactor] => [
    spelling,
    { dimension: 'temperature', factor: 5 / 9, offset: -160 / 9 },
  ]),
]);
