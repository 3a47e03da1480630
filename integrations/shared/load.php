<?php
/** The code that both modules share. The build copies it, and the PHP client, into lib/ of each module. */

declare(strict_types=1);

namespace Sellthrough\Billing;

if (!defined(__NAMESPACE__ . '\VERSION')) {
    define(__NAMESPACE__ . '\VERSION', '1.1.0');
}

require_once __DIR__ . '/client/autoload.php';
require_once __DIR__ . '/Refusal.php';
require_once __DIR__ . '/Sentences.php';
require_once __DIR__ . '/Api.php';
require_once __DIR__ . '/Balance.php';
require_once __DIR__ . '/PackageList.php';
require_once __DIR__ . '/ServicePlan.php';
require_once __DIR__ . '/Comparison.php';
require_once __DIR__ . '/PlanLimits.php';
require_once __DIR__ . '/PlanRows.php';
require_once __DIR__ . '/Terms.php';
