<?php
/**
 * A stand-in for WHMCS, written after its documentation for developers; it contains none of WHMCS's code. It has what a
 * provisioning module sees: the calls in WHMCS's order with their parameters, what happens to the answers, and the module log.
 *
 *   php whmcs.php <the module's sellthrough.php>
 *
 * Reads one command per line as JSON and answers each with one line: {"answer", "service", "log", "activity"}. The last two
 * contain what was written since the previous command.
 */

declare(strict_types=1);

namespace WHMCS\UsageBilling\Contracts\Metrics {
    interface MetricInterface
    {
        public const TYPE_SNAPSHOT = 'snapshot';

        public function systemName();

        public function withUsage($usage);
    }

    interface ProviderInterface
    {
        public function metrics();

        public function usage();

        public function tenantUsage($tenant);
    }
}

namespace WHMCS\UsageBilling\Metrics {
    final class Usage
    {
        public function __construct(public readonly mixed $value)
        {
        }
    }

    final class Metric implements \WHMCS\UsageBilling\Contracts\Metrics\MetricInterface
    {
        private ?Usage $usage = null;

        public function __construct(private $name, public $label, public $type, public $unit)
        {
        }

        public function systemName()
        {
            return $this->name;
        }

        public function withUsage($usage)
        {
            $with = clone $this;
            $with->usage = $usage;
            return $with;
        }

        public function usage(): mixed
        {
            return $this->usage?->value;
        }
    }
}

namespace WHMCS\UsageBilling\Metrics\Units {
    final class WholeNumber
    {
        public function __construct(public readonly string $name)
        {
        }
    }
}

namespace WHMCS\Database {
    /** The parts of the query builder that the module uses. */
    final class Capsule
    {
        private array $tests = [];

        private function __construct(private array $rows)
        {
        }

        public static function table(string $name): self
        {
            return new self(\StandIn::$stand->rows($name));
        }

        public function where(string $column, mixed $value): self
        {
            $this->tests[] = static fn (object $row): bool => $row->$column == $value;
            return $this;
        }

        public function whereIn(string $column, array $values): self
        {
            $this->tests[] = static fn (object $row): bool => in_array($row->$column, $values, true);
            return $this;
        }

        public function get(): array
        {
            return array_values(array_filter($this->rows, function (object $row): bool {
                foreach ($this->tests as $test) {
                    if (!$test($row)) {
                        return false;
                    }
                }
                return true;
            }));
        }

        public function first(): ?object
        {
            return $this->get()[0] ?? null;
        }
    }
}

namespace WHMCS\Service {
    /** A service's properties by name: core fields where WHMCS has one of that name, otherwise custom fields. */
    final class ServiceProperties
    {
        public array $customFields = [];

        public function __construct(private Service $service)
        {
        }

        public function get(string $name): string
        {
            return $name === 'Username' ? $this->service->username : ($this->customFields[$name] ?? '');
        }

        public function save(array $values): void
        {
            foreach ($values as $name => $value) {
                if ($name === 'Username') {
                    $this->service->username = $value;
                } else {
                    $this->customFields[$name] = (string) $value;
                }
            }
        }
    }

    final class Service
    {
        public string $domainstatus = 'Pending';
        public string $username = '';
        public ServiceProperties $serviceProperties;

        public function __construct(
            public int $id,
            public int $packageid,
            public string $billingcycle,
            public string $nextduedate,
            public int $userid
        ) {
            $this->serviceProperties = new ServiceProperties($this);
        }

        public static function find(int $id): ?self
        {
            return \StandIn::$stand->services[$id] ?? null;
        }
    }
}

namespace {
    define('WHMCS', true);

    function logModuleCall($module, $action, $requestString, $responseData, $processedData = '', $replaceVars = []): void
    {
        StandIn::$stand->write($module, $action, $requestString, $responseData, $processedData, $replaceVars);
    }

    function logActivity(string $message, int $userId = 0): void
    {
        StandIn::$stand->activity[] = $message;
    }

    function localAPI(string $command, array $values = [], string $admin = ''): array
    {
        return StandIn::$stand->localApi($command, $values);
    }

    final class StandIn
    {
        public static StandIn $stand;
        /** @var array<int, WHMCS\Service\Service> */
        public array $services = [];
        public array $activity = [];
        private array $log = [];
        private array $products = [];
        private array $clients = [];
        private array $server = [];
        private array $settings = ['Language' => 'english'];

        public function answer(array $command): mixed
        {
            return match ($command['do']) {
                'server' => $this->server = $command['server'] + $this->server,
                'setting' => $this->settings[$command['name']] = $command['value'],
                'client' => $this->clients[$command['id']] = $command['client'],
                'product' => $this->products[$command['id']] = $command['options'],
                'service' => $this->order($command),
                // As after restoring a backup, or if a process ended before it could save.
                'forget' => $this->services[$command['service']]->serviceProperties->customFields = [],
                'keep' => $this->services[$command['service']]->serviceProperties->save(['Sellthrough order' => $command['state']]),
                'set' => $this->services[$command['service']]->{$command['field']} = $command['value'],
                'meta' => sellthrough_MetaData(),
                'options' => sellthrough_ConfigOptions(),
                'test connection' => sellthrough_TestConnection($this->serverParams()),
                'load packages' => $this->load(),
                'create' => $this->run('CreateAccount', $command, 'Active'),
                'renew' => $this->run('Renew', $command, null),
                'change' => $this->change($command),
                'suspend' => $this->run('SuspendAccount', $command, 'Suspended'),
                'unsuspend' => $this->run('UnsuspendAccount', $command, 'Active'),
                'terminate' => $this->run('TerminateAccount', $command, 'Terminated'),
                'sign on' => sellthrough_ServiceSingleSignOn($this->params($command['service'])),
                'button' => $this->press($command),
                'admin tab' => sellthrough_AdminServicesTabFields($this->params($command['service'])),
                'client area' => $this->clientArea($command['service']),
                // WHMCS calls this once a day for each server.
                'daily cron' => sellthrough_UsageUpdate($this->serverParams()),
                'usage' => $this->usage(),
                'metric names' => array_column(
                    array_map(static fn ($metric): array => [$metric->systemName(), $metric->label], sellthrough_MetricProvider($this->serverParams())->metrics()),
                    1,
                    0
                ),
            };
        }

        public function view(?int $id): ?array
        {
            $service = $this->services[$id ?? 0] ?? null;
            return $service === null ? null : [
                'status' => $service->domainstatus,
                'due' => $service->nextduedate,
                'username' => $service->username,
                'fields' => $service->serviceProperties->customFields,
            ];
        }

        public function written(): array
        {
            [$log, $activity] = [$this->log, $this->activity];
            [$this->log, $this->activity] = [[], []];
            return ['log' => $log, 'activity' => $activity];
        }

        /** Writes to the module log and replaces the given secrets by asterisks, wherever they appear literally. */
        public function write(mixed $module, mixed $action, mixed ...$rest): void
        {
            $replace = array_filter((array) array_pop($rest), static fn (mixed $value): bool => (string) $value !== '');
            $texts = array_map(static fn (mixed $value): string => is_string($value) ? $value : print_r($value, true), $rest);
            $this->log[] = "$module $action " . str_replace($replace, '********', implode("\n", $texts));
        }

        public function rows(string $table): array
        {
            $rows = [];
            if ($table === 'tblhosting') {
                foreach ($this->services as $service) {
                    $rows[] = (object) [
                        'id' => $service->id,
                        'server' => 1,
                        'packageid' => $service->packageid,
                        'userid' => $service->userid,
                        'domainstatus' => $service->domainstatus,
                        'nextduedate' => $service->nextduedate,
                    ];
                }
            }
            if ($table === 'tblproducts') {
                foreach ($this->products as $id => $options) {
                    $rows[] = (object) ($this->configOptions($options) + ['id' => $id, 'servertype' => 'sellthrough']);
                }
            }
            return $rows;
        }

        public function localApi(string $command, array $values): array
        {
            if ($command === 'GetConfigurationValue') {
                return ['result' => 'success', 'setting' => $values['setting'], 'value' => $this->settings[$values['setting']] ?? ''];
            }
            if ($command !== 'UpdateClientProduct' || !isset($this->services[$values['serviceid'] ?? 0])) {
                return ['result' => 'error', 'message' => 'Service ID Not Found'];
            }
            $service = $this->services[$values['serviceid']];
            $service->nextduedate = $values['nextduedate'] ?? $service->nextduedate;
            $service->domainstatus = $values['status'] ?? $service->domainstatus;
            return ['result' => 'success', 'serviceid' => (string) $values['serviceid']];
        }

        private function order(array $command): void
        {
            $this->services[$command['id']] = new WHMCS\Service\Service(
                $command['id'],
                $command['product'],
                $command['cycle'],
                $command['due'],
                $command['client'],
            );
        }

        /** Calls the module. On "success" WHMCS changes the status; any other answer is shown to staff and changes nothing. */
        private function run(string $function, array $command, ?string $status): string
        {
            $more = $function === 'SuspendAccount' ? ['suspendreason' => $command['reason'] ?? ''] : [];
            $answer = "sellthrough_$function"($more + $this->params($command['service']));
            if ($answer === 'success' && $status !== null) {
                $this->services[$command['service']]->domainstatus = $status;
            }
            return $answer;
        }

        /** Upgrades after payment: the service already has the new product when WHMCS calls the module. */
        private function change(array $command): string
        {
            $this->services[$command['service']]->packageid = $command['product'];
            return $this->run('ChangePackage', $command, null);
        }

        private function press(array $command): string
        {
            $function = sellthrough_AdminCustomButtonArray()[$command['label']];
            return "sellthrough_$function"($this->params($command['service']));
        }

        private function load(): array
        {
            $option = sellthrough_ConfigOptions()['Package id'];
            try {
                return ['choices' => $option['Loader']($this->serverParams())];
            } catch (Exception $exception) {
                return ['error' => $exception->getMessage()];
            }
        }

        /** WHMCS matches metrics with services by the field that MetaData names. */
        private function usage(): array
        {
            $field = sellthrough_MetaData()['ListAccountsUniqueIdentifierField'];
            $provider = sellthrough_MetricProvider($this->serverParams());
            $figures = static function (array $metrics): array {
                $named = [];
                foreach ($metrics as $metric) {
                    $named[$metric->systemName()] = $metric->usage();
                }
                return $named;
            };
            $usage = [];
            foreach ($provider->usage() as $tenant => $metrics) {
                foreach ($this->services as $service) {
                    if ($service->$field === $tenant) {
                        $usage[$service->id] = [$figures($metrics), $figures($provider->tenantUsage($tenant))];
                    }
                }
            }
            return $usage;
        }

        /** Renders the few features of Smarty that the template uses. Smarty does not escape variables by itself. */
        private function clientArea(int $id): string
        {
            $shown = sellthrough_ClientArea($this->params($id));
            $template = file_get_contents(dirname(StandIn::$module) . "/{$shown['templatefile']}.tpl");
            $template = preg_replace('/\{\*.*?\*\}/s', '', $template);
            $value = static function (array $vars, string $name): mixed {
                foreach (explode('.', $name) as $part) {
                    $vars = $vars[$part];
                }
                return $vars;
            };
            $fill = static function (string $text, array $vars) use ($value): string {
                $text = preg_replace_callback('/\{if \$([\w.]+)\}(.*?)\{\/if\}/s', static fn (array $found): string => $value($vars, $found[1]) ? $found[2] : '', $text);
                return preg_replace_callback('/\{\$([\w.]+)(?:\|escape:\'(\w+)\')?\}/', static fn (array $found): string => match ($found[2] ?? '') {
                    'html' => htmlspecialchars((string) $value($vars, $found[1]), ENT_QUOTES),
                    'url' => rawurlencode((string) $value($vars, $found[1])),
                    '' => (string) $value($vars, $found[1]),
                }, $text);
            };
            $template = preg_replace_callback('/\{foreach \$(\w+) as \$(\w+)\}(.*?)\{\/foreach\}/s', static fn (array $found): string => implode('', array_map(
                static fn (array $row): string => $fill($found[3], [$found[2] => $row] + $shown['vars']),
                $shown['vars'][$found[1]]
            )), $template);
            return $fill($template, $shown['vars']);
        }

        public static string $module;

        private function serverParams(): array
        {
            return $this->server + [
                'server' => true,
                'serverid' => 1,
                'serverip' => '',
                'serverusername' => '',
                'serverpassword' => '',
                'serverport' => '',
                'moduletype' => 'sellthrough',
            ];
        }

        private function configOptions(array $options): array
        {
            $numbered = [];
            for ($number = 1; $number <= 24; $number++) {
                $numbered["configoption$number"] = (string) ($options[$number - 1] ?? '');
            }
            return $numbered;
        }

        private function params(int $id): array
        {
            $service = $this->services[$id];
            return $this->serverParams() + $this->configOptions($this->products[$service->packageid]) + [
                'serviceid' => $service->id,
                'userid' => $service->userid,
                'pid' => $service->packageid,
                'domain' => '',
                'username' => $service->username,
                'password' => 'Xk29sdFq1z',
                'producttype' => 'other',
                'clientsdetails' => $this->clients[$service->userid] ?? [],
                'customfields' => $service->serviceProperties->customFields,
                'configoptions' => [],
                'model' => $service,
            ];
        }
    }

    StandIn::$module = $argv[1];
    StandIn::$stand = new StandIn();
    require StandIn::$module;

    while (($line = fgets(STDIN)) !== false) {
        $command = json_decode($line, true, 32, JSON_THROW_ON_ERROR);
        try {
            $answer = ['answer' => StandIn::$stand->answer($command)];
        } catch (Throwable $thrown) {
            $answer = ['thrown' => (string) $thrown];
        }
        $answer['service'] = StandIn::$stand->view($command['service'] ?? null);
        echo json_encode($answer + StandIn::$stand->written(), JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
    }
}
